import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { DiscoveredProxy } from './testing/discovered-proxy.ts';
import { gatewayOf, gatewayPod } from './testing/gateway-objects.ts';
import { denyPath, namespace, objects } from './testing/sample-mesh.ts';

const pod = gatewayPod.replace('spec: {', 'spec: {serviceAccountName: httpbin, ');
const server = (port: number, host: string): string =>
  `{port: {number: ${port}, name: http-${port}, protocol: HTTP}, hosts: [${host}]}`;
/** A program that shares its port with every Envoy, and writes its process id to `held` once it has the port. */
const holder = (port: number): string =>
  `require('node:net').createServer((c) => c.end('held')).listen({ port: ${port}, host: '0.0.0.0', reusePort: true }, () => require('node:fs').writeFileSync('held', String(process.pid)))`;
const withHolder = (port: number): string =>
  `rm -f held; '${process.execPath}' -e "${holder(port)}" >/dev/null 2>&1 & until [ -s held ]; do sleep 0.02; done`;

describe('pilot-agent proxy router with a discoveryAddress, beside a program on a port of a listener', () => {
  let mesh: DiscoveredProxy;

  beforeEach(async () => {
    mesh = await DiscoveredProxy.create(objects(namespace, pod, gatewayOf(server(8080, 'a.example.com'))));
  });
  afterEach(() => mesh.close());

  test('ends before it serves the first listeners, those of its cache and those of the control plane', async () => {
    const { proxy } = mesh;
    mesh.start({}, 'router');
    await proxy.untilReady();
    await eventually(async () => expect(await proxy.read('discovery-cache')).toContain('8080'));
    proxy.signal('SIGTERM');
    await proxy.exit;
    for (const from of ['its cache', 'the control plane']) {
      if (from === 'the control plane') await proxy.remove('etc/mesh/proxy/discovery-cache');
      mesh.start({}, 'router', withHolder(8080));
      expect(await proxy.exit).toBe(3);
      const pid = await proxy.readOwn('held');
      expect(proxy.output).toMatch(
        new RegExp(
          `the listener "[^"]*" cannot use 0\\.0\\.0\\.0:8080, where process ${pid} \\(node\\) listens; end that`,
        ),
      );
      expect(/the cached configuration is served/.test(proxy.output), from).toBe(false);
      process.kill(Number(pid), 'SIGKILL');
    }
  });

  test('keeps a listener of a later change from Envoy serves the others, and tells the control plane', async () => {
    const { proxy, bench } = mesh;
    mesh.start({}, 'router');
    await proxy.untilReady();
    void proxy.runBeside([process.execPath, '-e', holder(8081)]).catch(() => undefined);
    await eventually(async () => expect(await proxy.readOwn('held')).not.toBe(''));
    const dump = (): string => proxy.curl('http://127.0.0.1:15000/config_dump').body;
    const put = (...servers: readonly string[]): Promise<void> =>
      bench.put('mesh.yaml', objects(namespace, pod, gatewayOf(...servers)));
    await put(server(8080, 'a.example.com'), server(8081, 'b.example.com'), server(8082, 'c.example.com'));
    await proxy.logged(
      /the port of a listener is in use.*cannot use 0\.0\.0\.0:8081, where process \d+ \(node\) listens/,
    );
    await eventually(() => expect(dump()).toMatch(/"port_value": 8082/));
    expect(dump()).not.toMatch(/"port_value": 8081/);
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(200);
    await eventually(async () => expect(await bench.debug('/debug/syncz')).toMatch(/cannot use 0\.0\.0\.0:8081/));

    process.kill(Number(await proxy.readOwn('held')), 'SIGKILL');
    // Another version of the listener.
    await bench.put('deny.yaml', denyPath('/secret'));
    await eventually(() => expect(dump()).toMatch(/"port_value": 8081/));
  });
});
