import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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

const policyTest = `apiVersion: meshpol/v1
kind: PolicyTest
metadata: {name: cart}
spec:
  inputs: [mesh.yaml]
  cases:
  - name: through both sidecars
    request: {from: shop/web, to: "cart:80", path: /cart/1}
    expect: {reaches: shop/cart}
  - name: denied
    request: {from: shop/web, to: "cart:80", path: /other}
    expect: {status: 403}
  - name: over HTTP/2
    request: {from: shop/web, to: "cart:80", path: /other, protocol: http2}
    expect: {status: 403}
  - name: bytes
    request: {from: shop/web, to: "cart:9000", protocol: tcp}
    expect: {reaches: shop/cart}
  - name: last address of a block
    request: {from: 192.0.2.15, to: "shop/cart:8080", path: /status}
    expect: {reaches: shop/cart}
  - name: first address behind a block
    request: {from: 192.0.2.16, to: "shop/cart:8080", path: /status}
    expect: {status: 403}
  - name: with a token
    request: {from: outside, to: "shop/cart:8080", claims: {iss: "https://issuer.example", role: admin}}
    expect: {reaches: shop/cart}
  - name: with a token of another issuer
    request: {from: outside, to: "shop/cart:8080", claims: {iss: "https://other.example", role: admin}}
    expect: {status: 401}
  - name: with a token that has a list for its subject
    request: {from: outside, to: "shop/cart:8080", claims: {iss: "https://issuer.example", sub: [a]}}
    expect: {status: 401}
`;

let folder: string;
const envoy = findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../..') });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prove-'));
  vi.stubEnv('TMPDIR', folder);
  writeFileSync(join(folder, 'mesh.yaml'), mesh);
  writeFileSync(join(folder, 'test.yaml'), policyTest);
  // An Envoy in which a path means another one: what it does is not what is predicted.
  writeProgram(join(folder, 'other-envoy'), `sed -i 's#/cart/#/other/#g' envoy.json\nexec '${envoy}' "$@"`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

interface ProvenCase {
  readonly name: string;
  readonly standing: string;
  readonly results: readonly {
    readonly proxies: readonly { readonly seen: { readonly status: number; readonly details: string } }[];
  }[];
}

const ask = (...words: readonly string[]) => meshpol(words, '', { ENVOY_BINARY: envoy });
const explain = (...words: readonly string[]) => ask('explain', join(folder, 'mesh.yaml'), '--prove', ...words);
const prove = (...words: readonly string[]) => ask('prove', join(folder, 'test.yaml'), ...words);
const toCart = ['--from', 'shop/web', '--to', 'cart:80', '--path', '/cart/1'];

describe('meshpol explain --prove', () => {
  test('shows of each proxy on the way that Envoy does what is predicted, and leaves nothing behind', async () => {
    const { code, out, error } = await explain(...toCart);
    expect([code, error]).toEqual([0, expect.not.stringContaining(': error: ')]);
    expect(out).toContain(`
on Envoy (${envoy}):
  shop/web, client: listener 0.0.0.0_80, to 10.96.0.1:80: as predicted: sent on to outbound|80||cart.shop.svc.cluster.local; filter chain 0.0.0.0_80-http; route default
  shop/cart, server: listener virtualInbound, to 10.0.0.1:8080: as predicted: sent on to inbound|8080||; filter chain inbound-8080-mtls-http; route default
`);
    expect(readdirSync(folder).sort()).toEqual(['mesh.yaml', 'other-envoy', 'test.yaml']);
  });

  test('exits with 1 where Envoy does something else, and says what', async () => {
    const { code, out } = await explain(...toCart, '--envoy', join(folder, 'other-envoy'));
    expect(code).toBe(1);
    expect(out).toContain('shop/cart, server: listener virtualInbound, to 10.0.0.1:8080: not as predicted: ');
    expect(out).toMatch(/\n {4}predicted: sent on to inbound\|8080\|\|; .*\n {4}seen: 403 rbac_access_denied/);
  });

  test('exits with 1 where no proxy is on the way', async () => {
    const { code, out } = await explain('--from', 'outside', '--to', 'shop/plain:8080');
    expect(code).toBe(1);
    expect(out).toContain('not tried: no proxy is on the way');
  });

  test.each([
    ['is not there', 'no-such-envoy', 'meshpol: --envoy names "no-such-envoy", which is no executable file\n'],
    ['ends at once', '/bin/false', 'meshpol: Envoy "/bin/false" ended before it had answered: it said nothing\n'],
  ])('exits with 3 if Envoy %s', async (_name, binary, message) => {
    const { code, error } = await explain(...toCart, '--envoy', binary);
    expect([code, error]).toEqual([3, message]);
  });
});

describe('meshpol prove', () => {
  test('sends the requests of tests, and Envoy does what is predicted', async () => {
    const { code, out } = await prove('--format', 'json');
    const { cases } = JSON.parse(out) as { readonly cases: readonly ProvenCase[] };
    const seen = cases.map(({ name, standing, results }) => {
      const last = results[0]?.proxies.at(-1)?.seen;
      return [name, standing, last?.status, last?.details.replace(/\[.*/, '')];
    });
    expect(seen).toEqual([
      ['cart > through both sidecars', 'as-predicted', 200, 'via_upstream'],
      ['cart > denied', 'as-predicted', 403, 'rbac_access_denied_matched_policy'],
      ['cart > over HTTP/2', 'as-predicted', 403, 'rbac_access_denied_matched_policy'],
      ['cart > bytes', 'as-predicted', 0, ''],
      ['cart > last address of a block', 'as-predicted', 200, 'via_upstream'],
      ['cart > first address behind a block', 'as-predicted', 403, 'rbac_access_denied_matched_policy'],
      ['cart > with a token', 'as-predicted', 200, 'via_upstream'],
      [
        'cart > with a token of another issuer',
        'as-predicted',
        401,
        'jwt_authn_access_denied{Jwt_issuer_is_not_configured}',
      ],
      [
        'cart > with a token that has a list for its subject',
        'as-predicted',
        401,
        'jwt_authn_access_denied{Jwt_payload_',
      ],
    ]);
    expect(code).toBe(0);
  });

  test('tells what another Envoy does in another way', async () => {
    const { code, out } = await prove('--filter', 'through', '--envoy', envoy, '--envoy', join(folder, 'other-envoy'));
    expect(code).toBe(1);
    expect(out).toContain(`DIFFERENT ON THE TWO ENVOYS cart > through both sidecars (${join(folder, 'test.yaml')}:7)`);
    expect(out).toContain(`    ${envoy}: sent on to inbound|8080||; filter chain`);
    expect(out).toContain(`    ${join(folder, 'other-envoy')}: 403 rbac_access_denied`);
    expect(out).toContain('0 as predicted, 0 not as predicted, 0 not tried, 1 different on the two Envoys\n');
  });

  test('sends requests that are generated for a mesh', async () => {
    const { code, out } = await ask('prove', join(folder, 'mesh.yaml'), '--cases', '200', '--seed', '7');
    expect(out).toMatch(/^200 as predicted, 0 not as predicted, 0 not tried; seed 7\n$/);
    expect(code).toBe(0);
  });
});
