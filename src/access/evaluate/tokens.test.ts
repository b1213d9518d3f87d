import { describe, expect, test } from 'vitest';
import { compiledWithKeySets } from '../../testing/compiled-world.ts';
import { createKeySets } from '../../testing/oracle/surroundings.ts';
import { travel } from './travel.ts';

const [keySet = ''] = createKeySets().texts;
const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: foo}
spec: {selector: {app: web}, clusterIP: 10.96.0.1, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: foo, labels: {app: web}}
spec: {serviceAccountName: web, containers: [{name: app}]}
status: {podIP: 10.0.0.1}
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: foo}
spec: {jwtRules: [{issuer: "https://a.example", jwks: '${keySet}'}]}
`;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token whose signature is good', () => {
  test.each([
    ['with nothing in its header that must be understood', {}, 'reaches'],
    ['with an extension in its header that must be understood', { crit: ['x'], x: 1 }, 'answered 401'],
    ['with a payload that is not in base64', { b64: false }, 'answered 401'],
  ])('%s', async (_title, more, expected) => {
    const token = `${encode({ alg: 'ES256', kid: 'k0', ...more })}.${encode({ iss: 'https://a.example', sub: 'ann' })}.c2ln`;
    const request = {
      method: 'GET',
      path: '/',
      authority: 'web',
      headers: [['authorization', `Bearer ${token}`]] as const,
    };
    const from = { kind: 'outside', address: '192.0.2.1' } as const;
    const access = { from, to: { address: '10.0.0.1', port: 8080 }, protocol: 'http/1.1', request } as const;
    const judge = { now: 0, signatures: { of: () => 'good' as const } };
    const told = travel(await compiledWithKeySets([mesh]), access, judge).map(({ outcome }) =>
      outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.kind,
    );
    expect(told).toEqual([expected]);
  });
});

test('two lines of Authorization are one text, which is no token', async () => {
  const token = `${encode({ alg: 'ES256', kid: 'k0' })}.${encode({ iss: 'https://a.example' })}.c2ln`;
  const headers = [
    ['authorization', `Bearer ${token}`],
    ['Authorization', 'Bearer x'],
  ] as const;
  const request = { method: 'GET', path: '/', authority: 'web', headers };
  const from = { kind: 'outside', address: '192.0.2.1' } as const;
  const access = { from, to: { address: '10.0.0.1', port: 8080 }, protocol: 'http/1.1', request } as const;
  const judge = { now: 0, signatures: { of: () => 'good' as const } };
  const [way] = travel(await compiledWithKeySets([mesh]), access, judge);
  const details = 'jwt_authn_access_denied{Jwt_signature_is_an_invalid_Base64url_encoded}';
  expect(way?.outcome).toMatchObject({ status: 401, details });
});

describe('assumed claims', () => {
  test.each([
    ['that a token can have', { sub: 'ann' }, 'reaches'],
    ['with a list where a text must be', { sub: ['ann'] }, 'Jwt_payload_[sub]_field_is_not_a_string'],
  ])('%s', async (_title, more, expected) => {
    const request = { method: 'GET', path: '/', authority: 'web', headers: [] };
    const from = { kind: 'outside', address: '192.0.2.1' } as const;
    const access = { from, to: { address: '10.0.0.1', port: 8080 }, protocol: 'http/1.1', request } as const;
    const judge = { now: 0, claims: { iss: 'https://a.example', ...more } };
    const [way] = travel(await compiledWithKeySets([mesh]), access, judge);
    expect(way?.outcome).toMatchObject(
      expected === 'reaches' ? { kind: expected } : { status: 401, details: `jwt_authn_access_denied{${expected}}` },
    );
  });
});
