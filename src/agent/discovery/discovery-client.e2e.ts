import { chmod, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { ServingBench } from '../../control/testing/serving-bench.ts';
import { createAdminClient } from '../../envoy/admin.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { adsBootstrap } from '../../xds/testing/small-mesh.ts';
import { createLog } from '../log/log.ts';
import { DiscoveryClient, type DiscoveryConfig } from './discovery-client.ts';

const nodeId = 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local';
const binary = findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../../..') });

describe('DiscoveryClient, between a control plane and Envoy', () => {
  let bench: ServingBench;
  let identity: SecretSnapshot;
  let adminPort: number;
  let client: DiscoveryClient | undefined;
  let envoy: EnvoyProcess | undefined;
  let lines: string[];

  beforeEach(async () => {
    lines = [];
    bench = await ServingBench.create();
    await mkdir(bench.path('proxy'), { mode: 0o700 });
    await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
    const [admin = 0, outbound = 0, inbound = 0] = await freePorts(3);
    adminPort = admin;
    const ports = `proxyListenPort: ${outbound}\nproxyInboundListenPort: ${inbound}\n`;
    await writeFile(bench.path('mesh-config.yaml'), ports);
    await startMeshd();
    const { certificate, privateKey } = await bench.identity('foo/httpbin');
    identity = {
      ...{ spiffeId: 'spiffe://cluster.local/ns/foo/sa/httpbin', certificateChain: certificate, privateKey },
      ...{ rootCertificates: bench.root, notAfterMs: Date.now() + 3_600_000, serialNumber: '1' },
    };
  });
  afterEach(async () => {
    await killEnvoy();
    await client?.close();
    client = undefined;
    await bench.close();
  });

  const startMeshd = (): Promise<void> =>
    bench.start({
      compile: {
        settings: { environment: {}, meshConfig: { path: bench.path('mesh-config.yaml'), isRequired: true } },
      },
    });

  const start = async (changes: Partial<DiscoveryConfig> = {}): Promise<DiscoveryClient> => {
    const config: DiscoveryConfig = {
      ...{ address: `127.0.0.1:${bench.control.port}`, nodeId, maxAgeMs: 86_400_000 },
      ...{ identityPrefix: 'spiffe://cluster.local/ns/foo/', rootPath: bench.path('ca/self-signed-root.pem') },
      envoyVersion: async () => '1.40.0',
      ...changes,
    };
    const log = createLog({ isJson: false, level: 'debug', write: (line) => void lines.push(line) });
    client = await DiscoveryClient.start({ configPath: bench.path('proxy'), config, log, checkMs: 1_000 });
    return client;
  };

  const stop = async (): Promise<void> => {
    await client?.close();
    client = undefined;
  };

  const startEnvoy = async (): Promise<void> => {
    await writeFile(
      bench.path('bootstrap.json'),
      JSON.stringify(adsBootstrap('DELTA_GRPC', adminPort, bench.path('proxy/XDS'))).replace('app.foo', 'httpbin.foo'),
    );
    envoy = await spawnEnvoy({
      binary,
      args: ['-c', bench.path('bootstrap.json'), '--disable-hot-restart', '-l', 'off', '--concurrency', '1'],
      output: 'ignore',
    });
  };
  const killEnvoy = async (): Promise<void> => {
    envoy?.signal('SIGKILL');
    await envoy?.exited;
    envoy = undefined;
  };

  const dump = async (): Promise<string> => (await createAdminClient({ port: adminPort }).get('/config_dump')).body;
  const untilEnvoyHas = (text: string): Promise<void> =>
    vi.waitFor(async () => expect(await dump()).toContain(text), 10_000);
  const logged = (): string => lines.join('');

  test('brings Envoy its configuration and each change, and an Envoy that starts while the control plane is away too', async () => {
    const first = await start();
    expect(first.problem).toMatch(/^no configuration has come .* it has not answered yet$/);
    first.takeIdentity(identity);
    await startEnvoy();
    await untilEnvoyHas('"virtualInbound"');
    await vi.waitFor(() => expect(first.isInForce).toBe(true), 5_000);
    await bench.put('deny.yaml', denyPath('/secret'));
    await untilEnvoyHas('/secret');
    expect(await bench.metric('meshd_xds_rejects_count.*')).toBeUndefined();

    await bench.control.stop();
    await vi.waitFor(() => expect(first.ageMs).toBeGreaterThan(0), 5_000);
    await killEnvoy();
    await startEnvoy();
    await untilEnvoyHas('/secret');
    await vi.waitFor(() => expect(first.isInForce).toBe(true), 5_000);

    // A new process has it from disk, without any identity.
    await killEnvoy();
    await stop();
    const second = await start();
    expect(second.problem).toBeUndefined();
    await startEnvoy();
    await untilEnvoyHas('/secret');
    await vi.waitFor(() => expect(second.isInForce).toBe(true), 5_000);
    expect((await stat(bench.path('proxy/discovery-cache'))).mode & 0o777).toBe(0o600);
  });

  test('gets nothing where nothing has changed since the cache, and what has changed where something has', async () => {
    const first = await start();
    first.takeIdentity(identity);
    await startEnvoy();
    await untilEnvoyHas('"virtualInbound"');
    await vi.waitFor(() => expect(first.isInForce).toBe(true), 5_000);
    const pushes = async () =>
      Promise.all(
        ['Cluster', 'Listener', 'RouteConfiguration'].map((type) =>
          bench.metric(`meshd_xds_pushes_count{type="${type}"}`),
        ),
      );
    await vi.waitFor(async () => expect((await stat(bench.path('proxy/discovery-cache'))).size).toBeGreaterThan(0));
    const before = await pushes();
    await stop();
    const second = await start();
    second.takeIdentity(identity);
    await vi.waitFor(() => expect(logged()).toMatch(/all is in step[\s\S]*all is in step/), 10_000);
    expect(await pushes()).toEqual(before);
    await bench.put('deny.yaml', denyPath('/secret'));
    await untilEnvoyHas('/secret');
    expect(second.ageMs).toBe(0);
  });

  test('takes nothing from a control plane whose certificate is of another mesh or for another name', async () => {
    const stranger = await (await createMeshCa()).issue('spiffe://cluster.local/ns/foo/sa/httpbin');
    const first = await start();
    first.takeIdentity({ ...identity, rootCertificates: stranger.rootCertificate });
    await vi.waitFor(() => expect(first.problem).toMatch(/UNAVAILABLE: .*(self-signed|certificate)/i), 10_000);
    await stop();
    const second = await start({ address: `localhost:${bench.control.port}` });
    second.takeIdentity(identity);
    await vi.waitFor(() => expect(second.problem).toMatch(/UNAVAILABLE: .*(altnames|localhost)/i), 10_000);
    expect(second.ageMs).toBeUndefined();
  });

  test.each([
    ['another workload', { nodeId: nodeId.replace('httpbin', 'other') }, /of the workload/],
    ['another namespace', { identityPrefix: 'spiffe://cluster.local/ns/bar/' }, /of the identity/],
    ['an older word than is allowed', { maxAgeMs: 1 }, /s old, at most/],
    ['a mesh whose root is not on disk', { rootPath: '/nowhere/root.pem' }, /with another root/],
  ])('uses no cache of %s', async (_name, changes, reason) => {
    await fillCache();
    const { problem } = await start(changes);
    expect(logged()).toMatch(reason);
    expect(problem).toMatch(/^no configuration has come/);
  });

  test('drops a cache once it has an identity of another account', async () => {
    await fillCache();
    await bench.control.stop();
    const it = await start();
    expect(it.problem).toBeUndefined();
    it.takeIdentity({ ...identity, spiffeId: 'spiffe://cluster.local/ns/foo/sa/other' });
    expect(it.problem).toMatch(/^no configuration has come/);
    await vi.waitFor(() => expect(readFile(bench.path('proxy/discovery-cache'))).rejects.toThrow(/ENOENT/));
  });

  test('serves no Envoy that starts once its configuration is too old', async () => {
    await fillCache();
    await bench.control.stop();
    const path = bench.path('proxy/discovery-cache');
    const then = Date.now() / 1000 - 10;
    await utimes(path, then, then);
    const it = await start({ maxAgeMs: 10_600 });
    expect(it.problem).toBeUndefined();
    await vi.waitFor(() => expect(it.problem).toMatch(/^the configuration is 11 s old, at most 11/), 5_000);
    await startEnvoy();
    await vi.waitFor(() => expect(logged()).toMatch(/the configuration is 11 s old/), 5_000);
    expect(await dump()).not.toContain('"virtualInbound"');
  });

  const fillCache = async (): Promise<void> => {
    const first = await start();
    first.takeIdentity(identity);
    await startEnvoy();
    await vi.waitFor(() => expect(first.isInForce).toBe(true), 10_000);
    await killEnvoy();
    await stop();
    await chmod(bench.path('proxy/discovery-cache'), 0o600);
  };
});
