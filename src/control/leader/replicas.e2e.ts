import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Client } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretResources } from '../../agent/secrets/secret-resources.ts';
import { askMeshd } from '../../cli/control/ask-meshd.ts';
import { runStatus } from '../../cli/control/debug-commands.ts';
import { createAdminClient } from '../../envoy/admin.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { applyInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../testing/kubernetes/definitions.ts';
import { secretService } from '../../xds/secret-service.ts';
import { type DiscoveryServer, startDiscoveryServer } from '../../xds/server.ts';
import { createTemporaryAuthority, type TemporaryAuthority } from '../ca/temporary-authority.ts';
import type { StatusAnswer } from '../debug/answers.ts';
import { makeSampleMesh } from '../testing/cluster-mesh.ts';
import { connectTo } from '../testing/control-bench.ts';
import { directBootstrap } from '../testing/direct-bootstrap.ts';
import { ReplicaProcess } from '../testing/replica-processes.ts';
import { request, startLoad } from '../testing/route-load.ts';
import { RoutedBackend } from '../testing/routed-backend.ts';
import { openRawStream, type RawStream } from '../testing/serving-bench.ts';

type Issued = Awaited<ReturnType<TemporaryAuthority['issue']>>;

describe('three replicas of meshd on a Kubernetes cluster', () => {
  let cluster: Cluster;
  let folder: string;
  let authority: TemporaryAuthority;
  let backend: RoutedBackend;
  let streams: RawStream[] = [];
  const connections: Client[] = [];
  let secretServer: DiscoveryServer;
  let envoys: { readonly process: EnvoyProcess; readonly adminPort: number; readonly port: number }[] = [];
  let replicas: ReplicaProcess[] = [];

  beforeAll(async () => {
    cluster = await startCluster({ controllers: ['endpoints-controller'] });
    folder = await mkdtemp(join(tmpdir(), 'replicas-'));
    backend = new RoutedBackend(cluster);
    await defineAll(cluster);
    await makeSampleMesh(cluster);
    await applyInstallation(cluster);
    authority = createTemporaryAuthority(folder);
    const client = await authority.issue('spiffe://cluster.local/ns/foo/sa/httpbin');
    const [egress = 0, inbound = 0, outbound = 0, ...ports] = await freePorts(3 + 2 * 3 + 2);
    await backend.serveAt(egress);
    const kubeconfig = cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd'));
    replicas = [0, 1, 2].map((i) => {
      return new ReplicaProcess({
        ...{ folder: join(folder, `meshd-${i}`), authority: join(folder, 'authority'), kubeconfig },
        ports: { secure: ports[2 * i] ?? 0, monitoring: ports[2 * i + 1] ?? 0 },
        environment: { PILOT_ENABLE_STATUS: 'true' },
        meshConfig: `proxyListenPort: ${outbound}\nproxyInboundListenPort: ${inbound}\nallowedLocalEndpoints: [127.0.0.1]\n`,
      });
    });
    await Promise.all(replicas.map((replica) => replica.start()));
    for (const replica of replicas) {
      await eventually(async () => expect((await statusOf(replica)).notReady).toBeUndefined());
    }
    const [adminPort = 0] = ports.slice(-1);
    // Envoy's secrets come from a service of its node; without them its listeners would wait.
    const secrets = secretService(secretResources({ ...client, rootCertificates: client.rootCertificate }));
    secretServer = await startDiscoveryServer(join(folder, 'SDS'), [secrets]);
    envoys = [await startEnvoy(client, adminPort, egress)];
    await eventually(async () => expect(await request(egress)).toMatch(/^200 /));
    streams = replicas.map(({ port }) => openStream(port, client));
    await eventually(() => expect(streams.map(({ seen }) => seen.length)).toEqual([1, 1, 1]));
    await backend.makeRoute('v1');
    await eventually(async () => expect(await request(egress)).toBe('200 v1 served'));
  });
  afterAll(async () => {
    for (const { process } of envoys) {
      process.signal('SIGKILL');
      await process.exited;
    }
    for (const connection of connections) connection.close();
    for (const replica of replicas) await replica.end('SIGKILL');
    await secretServer?.close();
    backend?.close();
    await authority?.close();
    await cluster?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function startEnvoy({ rootCertificate, ...pair }: Issued, adminPort: number, port: number) {
    const bootstrap = directBootstrap({
      ...{ nodeId: 'sidecar~10.1.0.1~httpbin.foo~foo.svc.cluster.local', apiType: 'DELTA_GRPC', adminPort },
      controlPlanes: replicas.map((replica) => ({ host: '127.0.0.1', port: replica.port })),
      ...{ ...pair, rootCertificates: rootCertificate, secretSocket: join(folder, 'SDS') },
    });
    const path = join(folder, 'bootstrap.json');
    await writeFile(path, JSON.stringify(bootstrap));
    const process = await spawnEnvoy({
      binary: findEnvoy({ env: globalThis.process.env, repositoryRoot: resolve(import.meta.dirname, '../../..') }),
      args: ['-c', path, '--disable-hot-restart', '-l', 'off', '--concurrency', '1'],
      output: 'ignore',
    });
    return { process, adminPort, port };
  }

  function openStream(port: number, { rootCertificate, certificateChain: certificate, privateKey }: Issued): RawStream {
    const connection = connectTo(port, rootCertificate, { certificate, privateKey });
    connections.push(connection);
    const stream = openRawStream(connection);
    stream.subscribe('listeners');
    return stream;
  }

  const statusOf = async (replica: ReplicaProcess): Promise<StatusAnswer> => {
    const answer = await askMeshd<StatusAnswer>(replica.socket, 'GET', '/debug/status');
    if (answer === undefined) throw new Error(replica.output);
    return answer;
  };

  async function leading(of: readonly ReplicaProcess[]): Promise<readonly ReplicaProcess[]> {
    const states = await Promise.all(of.map(async (it) => ((await statusOf(it)).election?.leads ? [it] : [])));
    return states.flat();
  }

  test('elect one leader, which meshd status names, and write each status once', async () => {
    await eventually(async () => expect(await leading(replicas)).toHaveLength(1));
    const [leader] = await leading(replicas);
    let text = '';
    const io = {
      write: async (part: string) => {
        text += part;
      },
      stop: new AbortController().signal,
    };
    await runStatus({ socket: replicas.map(({ socket }) => socket) }, io);
    expect(text).toMatch(/\n3 replicas\n {2}proxies {2}1 known, 4 connected, 4 in step/);
    expect(text).toContain(`\n  leader   ${leader?.socket}\n`);
    await eventually(async () => {
      expect((await backend.conditionsOfRoute()).Distributed).toMatchObject({ status: 'True', reason: 'AllProxies' });
    });
    // Of all replicas: Envoy's stream, and one of each.
    expect((await backend.conditionsOfRoute()).Distributed?.message).toMatch(/^4\/4 have version/);
  });

  test('no request fails while the leader is killed, and statuses are written again once its Lease of 15 s has expired', async () => {
    const [{ port, adminPort } = { port: 0, adminPort: 0 }] = envoys;
    const load = startLoad(port);
    const [leader] = await leading(replicas);
    const rest = replicas.filter((replica) => replica !== leader);
    await leader?.end('SIGKILL');
    const killedMs = performance.now();
    await backend.changeRoute('v2');
    // Other replicas serve without a leader.
    await eventually(async () => expect(await request(port)).toBe('200 v2 served'));
    await eventually(async () => expect((await backend.conditionsOfRoute()).Accepted?.status).toBe('True'));
    const acceptedMs = performance.now() - killedMs;
    await eventually(async () => expect((await backend.conditionsOfRoute()).Distributed?.status).toBe('True'));
    const { requests, failures } = await load.end();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(100);
    // Lease of 15 s, and the time that a candidate and the writer take to look again.
    expect(acceptedMs).toBeLessThan(20_000);
    expect(await leading(rest)).toHaveLength(1);
    const admin = createAdminClient({ port: adminPort });
    const rejected = (await admin.get('/stats?filter=update_rejected')).body;
    expect(rejected.split('\n').filter((line) => line !== '' && !line.endsWith(': 0'))).toEqual([]);
    // Streams of the other replicas were not touched.
    expect(replicas.map((replica, i) => (replica === leader ? [] : streams[i]?.ends))).toEqual([[], [], []]);
  });

  test('a leader that is stopped gives the Lease back, and the next one leads at once', async () => {
    const running: ReplicaProcess[] = [];
    for (const replica of replicas) if (await statusOf(replica).catch(() => undefined)) running.push(replica);
    const [leader] = await leading(running);
    await leader?.end('SIGTERM');
    await eventually(async () => expect(await leading(running.filter((it) => it !== leader))).toHaveLength(1));
    await backend.changeRoute('v3');
    await eventually(async () => expect((await backend.conditionsOfRoute()).Distributed?.status).toBe('True'));
  });
});
