import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh } from './testing/httpbin-mesh.ts';

const policy = (action: string, rules: readonly string[]): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: by-id, namespace: foo}
spec: {selector: {matchLabels: {app: httpbin}}, action: ${action}, rules: [${rules.join(', ')}]}
`;
const id = 'when: [{key: "request.headers[x-request-id]", values: [a]}]';
const other = 'when: [{key: "request.headers[x-request-id]", notValues: [a]}]';
const onPath = (condition: string): string => `{to: [{operation: {paths: [/a]}}], ${condition}}`;
const get = '{to: [{operation: {methods: [GET]}}]}';

const ask = async (path: string, action: string, ...rules: readonly string[]) => {
  const { out } = await run(
    `explain - --from foo/sleep --to httpbin:8000 --path ${path}`,
    httpbinMesh + policy(action, rules),
  );
  return out;
};

describe('a rule by a header whose value only the proxy knows', () => {
  test.each([
    ['ALLOW', [onPath(id)], /^403 rbac_access_denied_matched_policy\[none\]/],
    ['ALLOW', [onPath(other)], /^403 rbac_access_denied_matched_policy\[none\]/],
    ['ALLOW', [onPath(id), get], /^reaches foo\/httpbin\n/],
    ['DENY', [onPath(id)], /^reaches foo\/httpbin\n/],
    ['DENY', [onPath(id), get], /^403 rbac_access_denied_matched_policy\[ns\[foo\]-policy\[by-id\]-rule\[1\]\]/],
  ])('decides nothing of a request with another path: %s %j', async (action, rules, verdict) => {
    const out = await ask('/b', action, ...rules);
    expect(out).toMatch(verdict);
    // What it has of the header is not known, so nobody knows how much it is short of.
    expect(out).not.toContain('condition short');
  });

  test.each(['ALLOW', 'DENY'])(
    'makes a request that meets the rest of it unknown, and is named: %s',
    async (action) => {
      for (const condition of [id, other]) {
        expect(await ask('/a', action, onPath(condition), get)).toMatch(
          /^unknown: .*: the value of the header x-request-id, which ns\[foo\]-policy\[by-id\]-rule\[0\] compares\n/,
        );
      }
    },
  );
});

const routed = (name: string, value: string): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: httpbin, namespace: foo}
spec:
  hosts: [httpbin]
  http: [{headers: {request: {set: {${name}: "${value}"}}}, route: [{destination: {host: httpbin, port: {number: 8000}}}]}]
---
`;

const tokens = (): string => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] });
  return `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: foo}
spec: {selector: {matchLabels: {app: httpbin}}, jwtRules: [{issuer: a, jwks: '${keys}', fromCookies: [c]}, {issuer: b, jwks: '${keys}'}]}
---
`;
};

describe('a header that a route sets to a value that only the proxy knows', () => {
  const verdict = async (inputs: string, ...more: readonly string[]): Promise<string | undefined> => {
    const words = 'explain - --from foo/sleep --to httpbin:8000'.split(' ');
    const { out } = await run([...words, ...more], httpbinMesh + inputs);
    return out.split('\n')[0];
  };
  const any = (name: string): string => `{when: [{key: "request.headers[${name}]", values: ["*"]}]}`;

  test.each(['ALLOW', 'DENY'])('may be absent where the value may be empty, to a rule with %s', async (action) => {
    const inputs = (value: string): string => routed('x-user', value) + policy(action, [any('x-user')]);
    expect(await verdict(inputs('%REQ(x-real)%'))).toMatch(/^unknown: .*the value of the header x-user/);
    expect(await verdict(inputs('%REQ(x-real)%%REQ(y)%'), '--header', 'x-user: a')).toMatch(
      action === 'ALLOW' ? /^reaches/ : /^403/,
    );
    expect(await verdict(inputs('a%REQ(x-real)%'))).toMatch(action === 'ALLOW' ? /^reaches/ : /^403/);
  });

  test.each(['authorization', 'cookie'])('may have a token where it is %s', async (name) => {
    const inputs =
      routed(name, '%REQ(x-token)%') + tokens() + policy('ALLOW', ['{from: [{source: {requestPrincipals: ["*"]}}]}']);
    expect(await verdict(inputs)).toMatch(new RegExp(`^unknown: .*the header ${name}, which may have a token`));
    expect(await verdict(inputs, '--claims', '{"iss":"a","sub":"b"}')).toMatch(/^reaches/);
  });

  test.each(['origin', 'access-control-request-method'])('may make a preflight where it is %s', async (name) => {
    const inputs = routed(name, '%REQ(x-real)%') + tokens();
    const asked = ['--header', 'authorization: Bearer bad', '--method'];
    expect(await verdict(inputs, ...asked, 'OPTIONS')).toMatch(
      new RegExp(`^unknown: .*the value of the header ${name}`),
    );
    expect(await verdict(inputs, ...asked, 'GET')).toMatch(/^401/);
  });
});
