import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';

const policies = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  rules:
  - from: [{source: {namespaces: [shop], ipBlocks: [10.0.0.0/8]}}]
    to: [{operation: {ports: ["8080"]}}]
    when: [{key: connection.sni, values: [cart.example.com]}]
`;

describe('the request of a case of meshpol test', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'written-request-'));
    writeFileSync(join(folder, 'policies.yaml'), policies);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const runCase = (request: string, expected: string, to = 'shop/cart') => {
    const text = `apiVersion: meshpol/v1
kind: PolicyTest
metadata: {name: cart}
spec:
  workloads: [{name: shop/cart, ports: ["http:8080", "http:8081"]}, {name: shop/web}]
  cases: [{name: one, request: {to: "${to}", ${request}}, expect: {${expected}}}]
`;
    writeFileSync(join(folder, 'test.yaml'), text);
    return run(`test ${folder}`);
  };
  const client = 'from: "spiffe://cluster.local/ns/shop/sa/web"';
  const whole = `${client}, port: 8080, address: 10.1.2.3, sni: cart.example.com`;

  test.each([
    ['all that the rule wants', whole, 'reaches: shop/cart'],
    ['another port', whole.replace('8080', '8081'), 'status: 403'],
    ['another address', whole.replace('10.1.2.3', '11.1.2.3'), 'status: 403'],
    ['another server name', whole.replace('cart.example', 'web.example'), 'status: 403'],
    ['no server name', whole.replace(', sni: cart.example.com', ''), 'status: 403'],
    ['HTTP/2', `${whole}, protocol: http2`, 'reaches: shop/cart'],
    ['no certificate', 'from: outside, port: 8080, sni: cart.example.com', 'exit: [35, 55, 56]'],
  ])('has %s', async (_what, request, expected) => {
    expect(await runCase(request, expected)).toMatchObject({ error: '', out: '1 passed, 0 failed\n', code: 0 });
  });

  test('is refused with a port that no client connects to', async () => {
    const { code, error } = await runCase('from: outside, port: 0', 'exit: 56');
    expect([code, error]).toEqual([1, expect.stringContaining('"port" is 0, expected 1 to 65535')]);
  });

  test.each([
    ['from: shop/web, port: 8080, address: 10.0.0.1', 'test.yaml:6: "address" is of clients outside'],
    ['from: outside, port: 8080, address: cart', 'test.yaml:6: "cart" is no IP address'],
  ])('is refused with %s', async (request, message) => {
    expect(await runCase(request, 'exit: 56')).toMatchObject({ code: 2, error: expect.stringContaining(message) });
  });

  test('is refused with a port in two places', async () => {
    const { code, error } = await runCase('from: outside, port: 80', 'exit: 56', 'shop/cart:80');
    expect([code, error]).toEqual([2, expect.stringContaining('the port stands twice')]);
  });
});
