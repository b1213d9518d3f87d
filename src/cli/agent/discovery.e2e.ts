import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServingBench } from '../../control/testing/serving-bench.ts';
import { eventually } from '../../testing/eventually.ts';
import { DiscoveredProxy } from './testing/discovered-proxy.ts';
import type { ProxyProgram } from './testing/proxy-program.ts';
import { denyPath, httpbinPod, namespace, objects } from './testing/sample-mesh.ts';

describe('pilot-agent proxy with a discoveryAddress', () => {
  let mesh: DiscoveredProxy;
  let bench: ServingBench;
  let proxy: ProxyProgram;

  beforeEach(async () => {
    mesh = await DiscoveredProxy.create(objects(namespace, httpbinPod()));
    ({ bench, proxy } = mesh);
  });
  afterEach(() => mesh.close());

  const start: DiscoveredProxy['start'] = (environment) => mesh.start(environment);
  const dump = (): string => proxy.curl('http://127.0.0.1:15000/config_dump').body;
  const figure = (name: string): number =>
    Number(new RegExp(`^${name} (.*)$`, 'm').exec(proxy.curl('http://127.0.0.1:15020/stats/prometheus').body)?.[1]);

  test('configures Envoy by the control plane, with each change, and from its cache while that is away', async () => {
    start();
    await proxy.untilReady();
    expect(dump()).toContain('"virtualInbound"');
    await bench.put('deny.yaml', denyPath('/secret'));
    await eventually(() => expect(dump()).toContain('/secret'));
    expect([figure('mesh_agent_discovery_connected'), figure('mesh_agent_discovery_age_seconds')]).toEqual([1, 0]);
    await eventually(async () => expect(await proxy.read('discovery-cache')).toContain('/secret'));

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
    await eventually(() => expect(ready().body).toMatch(/no configuration has come from .*: cannot connect to /));
    expect(ready().status).toBe(503);
  });

  test('connects to the default address of meshd in a pod of Kubernetes, if no setting names another', async () => {
    await proxy.write('mesh.yaml', '{}\n');
    start({ KUBERNETES_SERVICE_HOST: '10.96.0.1' });
    const ready = () => proxy.curl('http://127.0.0.1:15020/healthz/ready').body;
    await eventually(() =>
      expect(ready()).toMatch(/no configuration has come from the control plane at meshd\.mesh-system\.svc:15012/),
    );
  });

  test('is not ready any more once its configuration is older than the setting allows', async () => {
    start({ MESH_DISCOVERY_CACHE_MAX_AGE: '1s' });
    await proxy.untilReady();
    await bench.control.stop();
    const ready = () => proxy.curl('http://127.0.0.1:15020/healthz/ready');
    await eventually(() => expect(ready().body).toMatch(/has not confirmed the configuration for more than 1 s/));
    expect(ready().status).toBe(503);
    // What it had goes on.
    expect(dump()).toContain('"virtualInbound"');
  });

  test('logs which invalid object concerns its proxy, with file and line, and when it does so no longer', async () => {
    await bench.put('deny.yaml', denyPath('/secret'));
    start();
    await proxy.untilReady();
    await bench.put('deny.yaml', denyPath('/secret').replace('action:', 'acton:'));
    const fault =
      /this proxy does not have what the policies say\tfault=.*AuthorizationPolicy\/foo\/p is invalid, its last valid version stays active: .*deny\.yaml:\d+:\d+: unknown field "acton"/;
    await eventually(() => expect(proxy.output).toMatch(fault));
    await bench.put('deny.yaml', denyPath('/other'));
    await eventually(() => expect(proxy.output).toContain('an invalid object no longer concerns this proxy'));
    expect(dump()).toContain('/other');
  });

  test('ends when the control plane sends listeners for TPROXY, for which the network namespace has no rules', async () => {
    const annotated = httpbinPod().replace(
      'metadata: {',
      'metadata: {annotations: {sidecar.mesh.io/interceptionMode: TPROXY}, ',
    );
    await bench.put('mesh.yaml', objects(namespace, annotated));
    const served = (): Promise<string> => bench.debug('/debug/config_dump?proxy=foo/httpbin');
    await eventually(async () => expect(await served()).toContain('"transparent"'));
    start();
    expect(await proxy.exit).toBe(3);
    expect(proxy.output).toContain('the configuration is for TPROXY and this network namespace has no rules for it');
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
