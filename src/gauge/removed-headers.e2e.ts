import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../cli/testing/run-meshpol.ts';

/** Some that Envoy removes, at gateways alone or everywhere, some that it sets, and some that it leaves. */
const headers: readonly (readonly [name: string, value: string])[] = [
  ['expect', '100-continue'],
  ['te', 'trailers'],
  ['via', '1'],
  ['x-forwarded-host', '1'],
  ...[
    ...['attempt-count', 'decorator-operation', 'downstream-service-cluster', 'downstream-service-node'],
    ...['expected-rq-timeout-ms', 'force-trace', 'hedge-on-per-try-timeout', 'internal', 'ip-tags', 'max-retries'],
    ...['original-dst-host', 'original-host', 'original-path', 'retriable-header-names', 'retriable-status-codes'],
    ...['retry-grpc-on', 'retry-on', 'upstream-alt-stat-name', 'upstream-rq-per-try-timeout-ms'],
    ...['upstream-rq-timeout-alt-response', 'upstream-rq-timeout-ms', 'upstream-stream-duration-ms'],
  ].map((name) => [`x-envoy-${name}`, '1'] as const),
];

const pod = (name: string, address: string, container: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}
spec: {serviceAccountName: ${name}, containers: [${container}]}
status: {podIP: ${address}}
---
`;
const mesh = `${pod('cart', '10.1.0.2', '{name: app}, {name: mesh-proxy, args: [proxy, sidecar]}')}${pod('edge', '10.1.0.9', '{name: mesh-proxy, args: [proxy, router]}')}apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {clusterIP: 10.96.0.1, selector: {app: cart}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec: {selector: {app: edge}, servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: edge, namespace: shop}
spec: {hosts: ["*"], gateways: [edge], http: [{route: [{destination: {host: cart, port: {number: 80}}}]}]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: denied, namespace: shop}
spec:
  action: DENY
  rules:
  - when: [{key: "request.headers[x-envoy-external-address]", values: ["192.0.2.8"]}]
  # Its value is the proxy's, but the path is another one.
  - {to: [{operation: {paths: [/only]}}], when: [{key: "request.headers[x-request-id]", notValues: [a]}]}
${headers.map(([name]) => `  - when: [{key: "request.headers[${name}]", values: ["*"]}]\n`).join('')}`;

const caseOf = (to: string, from: string, [name, value]: readonly [string, string]): string =>
  `  - {name: "${to} ${from} ${name}", request: {from: ${from}, to: "${to}:8080", headers: {"${name}": "${value}"}}, expect: {status: 403}}\n`;

test('predictions know which headers Envoy removes or sets before it asks the rules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'removed-headers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'mesh.yaml'), mesh);
  const cases = ['shop/cart', 'shop/edge'].flatMap((to) => [
    ...headers.map((header) => caseOf(to, '192.0.2.7', header)),
    caseOf(to, '192.0.2.8', ['x-a', '1']),
    caseOf(to, '192.0.2.7', ['x-envoy-external-address', '192.0.2.8']),
  ]);
  const head =
    'apiVersion: meshpol/v1\nkind: PolicyTest\nmetadata: {name: a}\nspec:\n  inputs: [mesh.yaml]\n  cases:\n';
  writeFileSync(join(folder, 'test.yaml'), head + cases.join(''));
  const { out } = await run(`test ${folder} --prove`);
  expect(out).toContain(`on Envoy: ${cases.length} as predicted, 0 not as predicted, 0 not tried\n`);
});
