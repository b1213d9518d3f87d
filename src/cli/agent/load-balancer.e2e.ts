import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayOf, gatewayPod } from './testing/gateway-objects.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { objects } from './testing/sample-mesh.ts';

/** Denies clients of two networks, one by the address of the client, one by that of the connection. */
const mesh = objects(
  gatewayOf('{port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}'),
  `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: edge, namespace: foo}
spec:
  hosts: ["*"]
  gateways: [edge]
  http:
  - match: [{headers: {x-forwarded-client-cert: {exact: By=anybody}}}]
    directResponse: {status: 200, body: {string: believed}}
  - directResponse: {status: 200, body: {string: plain}}
`,
  `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: blocked, namespace: foo}
spec:
  action: DENY
  rules:
  - from: [{source: {remoteIpBlocks: [203.0.113.0/24]}}]
  - from: [{source: {ipBlocks: [198.51.100.0/24]}}]
`,
);

/** Sends a request behind each first line, and prints its status, or `closed` where there is none. */
const asker = `
const ask = (first) => new Promise((resolve) => {
  const socket = require('node:net').connect(8080, '127.0.0.1');
  socket.write(first.replaceAll('|', '\\r\\n') + 'GET / HTTP/1.1\\r\\nHost: a.b\\r\\nConnection: close\\r\\n\\r\\n');
  let text = '';
  socket.on('data', (data) => (text += data));
  socket.on('error', () => undefined);
  socket.on('close', () => resolve(/^HTTP\\/1.1 (\\d+)/.exec(text)?.[1] ?? 'closed'));
});
Promise.all(process.argv.slice(1).map(ask)).then((statuses) => console.log(statuses.join(' ')));
`;

describe('pilot-agent proxy router behind a load balancer', () => {
  let proxy: ProxyProgram;

  const podWith = (topology: string): string =>
    gatewayPod.replace('labels:', `annotations: {proxy.istio.io/config: '{gatewayTopology: ${topology}}'}, labels:`);
  const take = async (pod: string): Promise<void> => {
    const count = (): number => proxy.output.match(/configuration in force/g)?.length ?? 0;
    const before = count();
    await proxy.write('mesh/topology.yaml', pod);
    await expect.poll(count, { timeout: 10_000, interval: 50 }).toBe(before + 1);
  };
  /** Status for what the load balancer hands on. */
  const ask = (...headers: readonly string[]): number =>
    proxy.curl('http://127.0.0.1:8080/', ...headers.flatMap((header) => ['-H', header])).status;
  const askAfter = (...lines: readonly string[]): readonly string[] =>
    proxy
      .run([process.execPath, '-e', asker, '--', ...lines])
      .stdout.trim()
      .split(' ');

  beforeAll(async () => {
    proxy = await ProxyProgram.create(podWith('{numTrustedProxies: 1}'));
    await proxy.write('mesh/gateway.yaml', mesh);
    proxy.start({ role: 'router' });
    await proxy.untilReady();
    await proxy.logged('configuration in force');
  });
  afterAll(() => proxy?.close());

  test('remoteIpBlocks holds for the address that one trusted proxy adds, whatever the client writes before it', () => {
    expect(ask('X-Forwarded-For: 203.0.113.9')).toBe(403);
    expect(ask('X-Forwarded-For: 192.0.2.1, 203.0.113.9')).toBe(403);
    expect(ask('X-Forwarded-For: 203.0.113.9, 192.0.2.1')).toBe(200);
    expect(ask()).toBe(200);
    expect(ask('X-Forwarded-For: 198.51.100.7')).toBe(200);
  });

  test('with two trusted proxies it is the address before the last', async () => {
    await take(podWith('{numTrustedProxies: 2}'));
    expect(ask('X-Forwarded-For: 203.0.113.9, 192.0.2.1')).toBe(403);
    expect(ask('X-Forwarded-For: 192.0.2.1, 203.0.113.9')).toBe(200);
  });

  test('without trusted proxies the header counts for nothing', async () => {
    await take(gatewayPod);
    expect(ask('X-Forwarded-For: 203.0.113.9')).toBe(200);
  });

  test('X-Forwarded-Client-Cert is a word of the client under ALWAYS_FORWARD_ONLY alone', async () => {
    const body = (): string => proxy.curl('http://127.0.0.1:8080/', '-H', 'X-Forwarded-Client-Cert: By=anybody').body;
    expect(body()).toBe('plain');
    await take(podWith('{forwardClientCertDetails: ALWAYS_FORWARD_ONLY}'));
    expect(body()).toBe('believed');
    await proxy.logged('client-certificate-header-believed');
    await take(podWith('{forwardClientCertDetails: FORWARD_ONLY}'));
    expect(body()).toBe('plain');
  });

  test('with the PROXY protocol its header names the client, and connections without one are closed', async () => {
    await take(podWith('{proxyProtocol: {}}'));
    const behind = (client: string): string => `PROXY TCP4 ${client} 127.0.0.1 1000 8080|`;
    const forged = `${behind('192.0.2.1')}GET / HTTP/1.1|Host: a.b|Connection: close|X-Forwarded-For: 203.0.113.9||`;
    // The block of ipBlocks is not met: the connection is the load balancer's.
    const lines = [behind('203.0.113.9'), behind('192.0.2.1'), forged, behind('198.51.100.7'), ''];
    expect(askAfter(...lines)).toEqual(['403', '200', '200', '200', 'closed']);
  });
});
