import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ServingBench } from '../../control/testing/serving-bench.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { denyPath, httpbinPod, namespace, objects } from './testing/sample-mesh.ts';

/** From the agent's network to the socket file, behind which the control plane is. */
const relay = `require('node:net').createServer((a) => { const b = require('node:net').connect('meshd'); a.pipe(b).pipe(a); a.on('error', () => b.destroy()); b.on('error', () => a.destroy()); b.on('close', () => a.destroy()); }).listen(15012, '127.0.0.1')`;

describe('pilot-agent proxy with a discoveryAddress', () => {
  let bench: ServingBench;
  let proxy: ProxyProgram;
  let door: Server;

  beforeEach(async () => {
    bench = await ServingBench.create();
    await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
    await bench.start();
    proxy = await ProxyProgram.create('');
    const { certificate, privateKey } = await bench.identity('foo/httpbin');
    await proxy.write('certs/cert-chain.pem', certificate);
    await proxy.write('certs/key.pem', privateKey);
    await proxy.write('certs/root-cert.pem', bench.root);
    await proxy.write('mesh.yaml', 'defaultConfig: {discoveryAddress: "127.0.0.1:15012"}\n');
    door = createServer((inner) => {
      const outer = connect(bench.control.port, '127.0.0.1');
      inner.pipe(outer).pipe(inner);
      for (const [one, other] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    }).listen(join(proxy.folder, 'meshd'));
  });
  afterEach(async () => {
    await proxy.close();
    door.close();
    await bench.close();
  });

  const start = (environment: Readonly<Record<string, string>> = {}): void =>
    proxy.start({
      args: ['--meshConfig', 'mesh.yaml'],
      environment: { INSTANCE_IP: '127.0.0.1', ...environment },
      prepare: `'${process.execPath}' -e "${relay}" >relay 2>&1 &`,
    });
  const dump = (): string => proxy.curl('http://127.0.0.1:15000/config_dump').body;
  const figure = (name: string): number =>
    Number(new RegExp(`^${name} (.*)$`, 'm').exec(proxy.curl('http://127.0.0.1:15020/stats/prometheus').body)?.[1]);

  test('configures Envoy by the control plane, with each change, and from its cache while that is away', async () => {
    start();
    await proxy.untilReady();
    expect(dump()).toContain('"virtualInbound"');
    await bench.put('deny.yaml', denyPath('/secret'));
    await vi.waitFor(() => expect(dump()).toContain('/secret'), { timeout: 5_000, interval: 50 });
    expect([figure('mesh_agent_discovery_connected'), figure('mesh_agent_discovery_age_seconds')]).toEqual([1, 0]);
    await vi.waitFor(async () => expect(await proxy.read('discovery-cache')).toContain('/secret'), 5_000);

    await bench.control.stop();
    proxy.signal('SIGTERM');
    await proxy.exit;
    start();
    await proxy.untilReady();
    expect(dump()).toContain('/secret');
    expect(proxy.output).toContain('the cached configuration is served until the control plane answers');
    expect(figure('mesh_agent_discovery_age_seconds')).toBeGreaterThan(0);
  });

  test('is not ready without a control plane and without a cache, and says why', async () => {
    await bench.control.stop();
    start();
    const ready = () => proxy.curl('http://127.0.0.1:15020/healthz/ready');
    await vi.waitFor(() => expect(ready().body).toMatch(/no configuration has come from .* UNAVAILABLE/), 10_000);
    expect(ready().status).toBe(503);
  });

  test('is not ready any more once its configuration is older than the setting allows', async () => {
    start({ MESH_DISCOVERY_CACHE_MAX_AGE: '1s' });
    await proxy.untilReady();
    await bench.control.stop();
    const ready = () => proxy.curl('http://127.0.0.1:15020/healthz/ready');
    await vi.waitFor(() => expect(ready().body).toMatch(/the configuration is \d+ s old, at most 1/), 10_000);
    expect(ready().status).toBe(503);
    // What it had goes on.
    expect(dump()).toContain('"virtualInbound"');
  });

  test.each([
    [
      'a template of its own',
      { MESH_BOOTSTRAP: 'own.hbs' },
      'is not supported with configuration from discoveryAddress',
    ],
  ])('refuses %s', async (_name, environment, text) => {
    await proxy.write('own.hbs', '{}');
    start(environment);
    expect(await proxy.exit).toBe(2);
    expect(proxy.output).toContain(text);
  });
});
