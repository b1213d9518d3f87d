import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run as meshpol } from '../cli/testing/run-meshpol.ts';
import { findEnvoy } from '../envoy/process.ts';
import { writeProgram } from '../testing/write-program.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keySet = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'ES256' }] });

const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {selector: {app: cart}, clusterIP: 10.96.0.1, ports: [{name: http, port: 80, targetPort: 8080}, {name: tcp-db, port: 9000}]}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {serviceAccountName: cart, containers: [{name: app}]}
status: {podIP: 10.0.0.1}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {serviceAccountName: web, containers: [{name: app}]}
status: {podIP: 10.0.0.2}
---
apiVersion: v1
kind: Pod
metadata: {name: plain, namespace: shop, labels: {app: plain}, annotations: {sidecar.istio.io/inject: "false"}}
spec: {containers: [{name: app}]}
status: {podIP: 10.0.0.3}
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  jwtRules: [{issuer: "https://issuer.example", jwks: '${keySet}'}]
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  rules:
  - from: [{source: {principals: [cluster.local/ns/shop/sa/web]}}]
    to: [{operation: {methods: [GET], paths: [/cart/*]}}]
  - from: [{source: {ipBlocks: [192.0.2.0/28]}}]
    to: [{operation: {paths: [/status]}}]
  - when: [{key: "request.auth.claims[role]", values: [admin]}]
  - from: [{source: {namespaces: [shop]}}]
    to: [{operation: {ports: ["9000"]}}]
`;

let folder: string;
const envoy = findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../..') });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prove-'));
  writeFileSync(join(folder, 'mesh.yaml'), mesh);
  // An Envoy in which a path means another one: what it does is not what is predicted.
  writeProgram(join(folder, 'other-envoy'), `sed -i 's#/cart/#/other/#g' envoy.json\nexec '${envoy}' "$@"`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const ask = (words: readonly string[], environment: Readonly<Record<string, string>> = { ENVOY_BINARY: envoy }) =>
  meshpol(['explain', join(folder, 'mesh.yaml'), '--prove', ...words], '', environment);

describe('meshpol explain --prove', () => {
  test.each<[string, string, readonly string[], readonly string[]]>([
    [
      'through both sidecars',
      '--from shop/web --to cart:80 --path /cart/1',
      [
        'shop/web, client: listener 0.0.0.0_80, to 10.96.0.1:80: as predicted: sent on to outbound|80||cart.shop',
        'shop/cart, server: listener virtualInbound, to 10.0.0.1:8080: as predicted: sent on to inbound|8080||',
      ],
      [],
    ],
    [
      'that is denied',
      '--from shop/web --to cart:80 --path /other',
      ['shop/cart, server: listener virtualInbound, to 10.0.0.1:8080: as predicted: 403 rbac_access_denied'],
      [],
    ],
    [
      'of an address that a rule lets in',
      '--from 192.0.2.15 --to shop/cart:8080 --path /status',
      ['as predicted: sent on to inbound|8080||'],
      [],
    ],
    [
      'of an address that no rule lets in',
      '--from 192.0.2.16 --to shop/cart:8080 --path /status',
      ['as predicted: 403 rbac_access_denied'],
      [],
    ],
    [
      'with a token that is made for it',
      '--from 192.0.2.99 --to shop/cart:8080',
      ['as predicted: sent on to inbound|8080||'],
      ['--claims', '{"iss": "https://issuer.example", "role": "admin"}'],
    ],
    [
      'with a token of another issuer',
      '--from 192.0.2.99 --to shop/cart:8080',
      ['as predicted: 401 jwt_authn_access_denied{Jwt_issuer_is_not_configured}'],
      ['--claims', '{"iss": "https://other.example", "role": "admin"}'],
    ],
    [
      'over HTTP/2',
      '--from shop/web --to cart:80 --path /other --protocol http2',
      ['shop/cart, server: listener virtualInbound, to 10.0.0.1:8080: as predicted: 403 rbac_access_denied'],
      [],
    ],
    [
      'of bytes',
      '--from shop/web --to cart:9000 --protocol tcp',
      ['shop/cart, server: listener virtualInbound, to 10.0.0.1:9000: as predicted: sent on to inbound|9000||'],
      [],
    ],
  ])('shows of a request %s that Envoy does what is predicted', async (_name, words, expected, more) => {
    const { code, out, error } = await ask([...words.split(' '), ...more]);
    expect([code, error]).toEqual([0, '']);
    for (const line of expected) expect(out).toContain(line);
    expect(out).not.toContain('not tried');
  });

  test('exits with 1 where Envoy does something else, and says what', async () => {
    const words = '--from shop/web --to cart:80 --path /cart/1'.split(' ');
    const { code, out } = await ask([...words, '--envoy', join(folder, 'other-envoy')]);
    expect(code).toBe(1);
    expect(out).toContain('shop/cart, server: listener virtualInbound, to 10.0.0.1:8080: not as predicted: ');
    expect(out).toMatch(/\n {4}predicted: sent on to inbound\|8080\|\|; .*\n {4}seen: 403 rbac_access_denied/);
    const json = await ask([...words, '--envoy', join(folder, 'other-envoy'), '--format', 'json']);
    const { proof } = JSON.parse(json.out);
    expect([json.code, proof.proxies.map((one: { differences: string[] }) => one.differences.length > 0)]).toEqual([
      1,
      [false, true],
    ]);
  });

  test('exits with 1 where no proxy is on the way', async () => {
    const { code, out } = await ask('--from outside --to shop/plain:8080'.split(' '));
    expect(code).toBe(1);
    expect(out).toContain('not tried: no proxy is on the way');
  });

  test('leaves nothing in the folder for temporary files', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('meshpol-prove-'));
    await ask('--from shop/web --to cart:80'.split(' '));
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('meshpol-prove-') && !before.includes(name))).toEqual(
      [],
    );
  });

  test.each([
    ['is not there', 'no-such-envoy', 'meshpol: --envoy names "no-such-envoy", which is no executable file\n'],
    ['ends at once', '/bin/false', 'meshpol: Envoy "/bin/false" ended before it had answered: it said nothing\n'],
  ])('exits with 3 if Envoy %s', async (_name, binary, message) => {
    const { code, error } = await ask([...'--from shop/web --to cart:80 --envoy'.split(' '), binary]);
    expect([code, error]).toEqual([3, message]);
  });
});
