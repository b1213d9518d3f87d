import { chmod, readFile, stat, utimes } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { denyPath } from '../../cli/agent/testing/sample-mesh.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { DiscoveryBench, httpbinNodeId as nodeId } from '../testing/discovery-bench.ts';

describe('DiscoveryClient, between a control plane and Envoy', () => {
  let bench: DiscoveryBench;

  beforeEach(async () => {
    bench = await DiscoveryBench.start();
  });
  afterEach(() => bench.close());

  test('gives Envoy its configuration and each change, also an Envoy that starts while the control plane is away', async () => {
    const first = await bench.startClient();
    expect(first.problem).toMatch(/^no configuration has come .* it has not answered yet$/);
    first.takeIdentity(bench.identity);
    await bench.startEnvoy();
    await bench.untilEnvoyHas('"virtualInbound"');
    await eventually(() => expect(first.isInForce).toBe(true));
    await bench.meshd.put('deny.yaml', denyPath('/secret'));
    await bench.untilEnvoyHas('/secret');
    expect(await bench.meshd.metric('meshd_xds_rejects_count.*')).toBeUndefined();

    await bench.meshd.control.stop();
    await eventually(() => expect(first.ageMs).toBeGreaterThan(0));
    await bench.killEnvoy();
    await bench.startEnvoy();
    await bench.untilEnvoyHas('/secret');
    await eventually(() => expect(first.isInForce).toBe(true));

    // A new process has it from disk, without any identity.
    await bench.killEnvoy();
    await bench.stopClient();
    const second = await bench.startClient();
    expect(second.problem).toBeUndefined();
    await bench.startEnvoy();
    await bench.untilEnvoyHas('/secret');
    await eventually(() => expect(second.isInForce).toBe(true));
    expect((await stat(bench.meshd.path('proxy/discovery-cache'))).mode & 0o777).toBe(0o600);
  });

  test('gets only what has changed since the cache was written', async () => {
    await bench.settle();
    const pushes = async () =>
      Promise.all(
        ['Cluster', 'Listener', 'RouteConfiguration'].map((type) =>
          bench.meshd.metric(`meshd_xds_pushes_count{type="${type}"}`),
        ),
      );
    await eventually(async () =>
      expect((await stat(bench.meshd.path('proxy/discovery-cache'))).size).toBeGreaterThan(0),
    );
    const before = await pushes();
    await bench.stopClient();
    const second = await bench.startClient();
    second.takeIdentity(bench.identity);
    await eventually(() => expect(bench.logged()).toMatch(/all is in step[\s\S]*all is in step/));
    expect(await pushes()).toEqual(before);
    await bench.meshd.put('deny.yaml', denyPath('/secret'));
    await bench.untilEnvoyHas('/secret');
    expect(second.ageMs).toBe(0);
  });

  test('accepts nothing from a control plane whose certificate is of another mesh or for another name', async () => {
    const stranger = await (await createMeshCa()).issue('spiffe://cluster.local/ns/foo/sa/httpbin');
    const first = await bench.startClient();
    first.takeIdentity({ ...bench.identity, rootCertificates: stranger.rootCertificate });
    await eventually(() => expect(first.problem).toMatch(/cannot connect to .*(self-signed|certificate)/i));
    await bench.stopClient();
    const second = await bench.startClient({ address: `localhost:${bench.meshd.control.port}` });
    second.takeIdentity(bench.identity);
    await eventually(() => expect(second.problem).toMatch(/cannot connect to .*(altnames|localhost)/i));
    expect(second.ageMs).toBeUndefined();
  });

  test.each([
    ['another workload', { nodeId: nodeId.replace('httpbin', 'other') }, /of the workload/],
    ['another namespace', { identityPrefix: 'spiffe://cluster.local/ns/bar/' }, /of the identity/],
    ['an older word than is allowed', { maxAgeMs: 1 }, /s old, at most/],
    ['a mesh whose root is not on disk', { rootPath: '/nowhere/root.pem' }, /with another root/],
  ])('uses no cache of %s', async (_name, changes, reason) => {
    await fillCache();
    const { problem } = await bench.startClient(changes);
    expect(bench.logged()).toMatch(reason);
    expect(problem).toMatch(/^no configuration has come/);
  });

  test('drops the cache once it has the identity of another account', async () => {
    await fillCache();
    await bench.meshd.control.stop();
    const it = await bench.startClient();
    expect(it.problem).toBeUndefined();
    it.takeIdentity({ ...bench.identity, spiffeId: 'spiffe://cluster.local/ns/foo/sa/other' });
    expect(it.problem).toMatch(/^no configuration has come/);
    await eventually(() => expect(readFile(bench.meshd.path('proxy/discovery-cache'))).rejects.toThrow(/ENOENT/));
  });

  test('gives a starting Envoy no configuration that is too old', async () => {
    await fillCache();
    await bench.meshd.control.stop();
    const path = bench.meshd.path('proxy/discovery-cache');
    const then = Date.now() / 1000 - 10;
    await utimes(path, then, then);
    const it = await bench.startClient({ maxAgeMs: 16_000 });
    expect(it.problem).toBeUndefined();
    await eventually(() => expect(it.problem).toMatch(/has not confirmed the configuration for more than 16 s/));
    await bench.startEnvoy();
    await eventually(() => expect(bench.logged()).toMatch(/has not confirmed the configuration for/));
    expect(await bench.dump()).not.toContain('"virtualInbound"');
  });

  const fillCache = async (): Promise<void> => {
    await bench.settle();
    await bench.killEnvoy();
    await bench.stopClient();
    await chmod(bench.meshd.path('proxy/discovery-cache'), 0o600);
  };
});
