import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedPod } from '../../src/testbed/floor-plan.ts';
import { authorizationPolicy, topologyText } from '../../src/testbed/mesh-objects.ts';
import { repository, type Sandbox } from '../../src/testbed/sandbox.ts';
import { node } from '../../src/testbed/sidecar.ts';
import { until } from '../../src/testbed/until.ts';
import type { Cluster } from '../../src/testing/kubernetes/cluster.ts';
import { type ClusterMesh, clusterPlaneEnv, createClusterMesh } from '../cluster/cluster-mesh.ts';
import type { ControlPlane } from '../identity/control-plane.ts';
import { discoveryAddress } from '../served/served-fleet.ts';
import { memoryScript } from './memory-samples.ts';
import type { MeshPart, SoakedMesh } from './soaked-mesh.ts';

const wellMs = 120_000;
const changing = 'foo/curl -> bar/httpbin';
/** Client, server, and what the policies say first. */
const pairs = [
  ['foo/curl', 'foo/httpbin', 200],
  ['foo/curl', 'bar/httpbin', 200],
  ['bar/curl', 'foo/httpbin', 403],
  ['bar/curl', 'bar/httpbin', 200],
] as const;
const sidecars = ['foo/curl', 'foo/httpbin', 'bar/curl', 'bar/httpbin'];

/** Certificates are good for 30 s. */
const env = { MESH_RESTART_POLICY: 'always', ECC_SIGNATURE_ALGORITHM: 'ECDSA', SECRET_TTL: '30s' };

/** As a kubelet gives it: the root of the mesh, and a token of the pod's account, with which its agent gets certificates from meshd. */
const provision = (cluster: Cluster) => async (sandbox: Sandbox, pod: PlannedPod) => ({
  files: {
    'var/run/secrets/mesh/root-cert.pem': await readFile(`${sandbox.folder}/authority/self-signed-root.pem`, 'utf8'),
    'var/run/secrets/tokens/mesh-token': await cluster.accountToken(pod.namespace, pod.serviceAccount, ['mesh-ca']),
  },
  env: { CA_ADDR: discoveryAddress },
});

const denying = (namespace: string, name: string, from: string): object => {
  const principals = [`cluster.local/ns/${from}/sa/curl`];
  return authorizationPolicy({
    ...{ namespace, name, app: 'httpbin', action: 'DENY', rules: [{ from: [{ source: { principals } }] }] },
  });
};

/** The mesh of `make cluster`. */
export async function openSoakedCluster(onProgress: (step: string) => void): Promise<SoakedMesh> {
  const mesh = await createClusterMesh('examples/first-mesh', onProgress, { env, provision });
  const { kubectl, testbed, fleet } = mesh;
  const apply = async (action: 'apply' | 'delete', object: object): Promise<void> =>
    void (await kubectl([action, '-f', '-'], topologyText([object])));
  try {
    await apply('apply', denying('foo', 'no-bar', 'bar'));
    const isDenied = async (): Promise<true | undefined> =>
      (await testbed.request({ from: 'bar/curl', to: 'httpbin.foo' })).status === '403' || undefined;
    await until(isDenied, { timeoutMs: wellMs, otherwise: async () => 'bar/curl is let in' });
  } catch (error) {
    await mesh.close();
    throw error;
  }
  const [plane] = fleet.planes as [ControlPlane];
  return {
    targets: pairs.map(([from, to, status]) => ({ name: `${from} -> ${to}`, through: [from, to], status })),
    changing,
    parts: [
      [serverPart(mesh)],
      [planePart(mesh, plane)],
      sidecars.map((pod) => agentPart(mesh, pod)),
      sidecars.map((pod) => envoyPart(mesh, pod)),
    ],
    decide: (isLetIn) => apply(isLetIn ? 'delete' : 'apply', denying('bar', 'no-foo', 'foo')),
    startCalls: () => startCalls(mesh),
    isWell: async () => {
      const inStep = new Set((await fleet.rows()).filter((row) => row.isInStep).map(({ proxy }) => proxy));
      return sidecars.every((pod) => inStep.has(pod));
    },
    countCertificates: async () => (await plane.issued()).length,
    listMemory: () => testbed.sandbox.must(['sh', '-c', memoryScript]),
    close: () => mesh.close(),
  };
}

/** A probe client in each pod that calls. */
async function startCalls({ testbed }: ClusterMesh): Promise<() => Promise<string>> {
  const { sandbox } = testbed;
  const outputs = [...new Set(pairs.map(([from]) => from))].map((from) => ({
    from,
    path: join(sandbox.folder, `calls-${from.replace('/', '-')}`),
  }));
  for (const { from, path } of outputs) {
    const urls = pairs.flatMap(([client, to]) => {
      const host = to.split('/').reverse().join('.');
      return client === from ? [`${from} -> ${to}=http://${host}:8000/ip`] : [];
    });
    const argv = [node, `${repository}/e2e/soak/probe-client.ts`, '500', ...urls];
    await sandbox.start(argv, path, { network: from.replace('/', '-'), uid: 1000 });
  }
  return async () => (await Promise.all(outputs.map(({ path }) => readFile(path, 'utf8')))).join('');
}

/** While it is away, nobody takes policies. */
function serverPart({ cluster }: ClusterMesh): MeshPart {
  const { server } = cluster;
  return {
    ...{ name: 'API server', faults: ['kill', 'stop'], takesPolicies: true },
    begin: async (fault) => {
      if (fault === 'kill') await server.kill();
      else server.signal('SIGSTOP');
    },
    end: async (fault) => {
      if (fault === 'kill') server.start();
      else server.signal('SIGCONT');
      await cluster.ready();
    },
  };
}

function planePart({ testbed }: ClusterMesh, plane: ControlPlane): MeshPart {
  const cut = async (action: 'I' | 'D'): Promise<void> => {
    const script = `iptables -w -${action} OUTPUT ! -o lo -j DROP; iptables -w -${action} INPUT ! -i lo -j DROP`;
    await testbed.sandbox.must(['sh', '-ec', script], { network: plane.network });
  };
  return {
    ...{ name: 'meshd', faults: ['kill', 'stop', 'cut'] },
    begin: (fault) => (fault === 'kill' ? plane.kill() : fault === 'stop' ? plane.freeze() : cut('I')),
    end: (fault) => (fault === 'kill' ? plane.start(clusterPlaneEnv) : fault === 'stop' ? plane.thaw() : cut('D')),
  };
}

/** An agent that is killed takes its Envoy with it. */
function agentPart({ testbed }: ClusterMesh, pod: string): MeshPart {
  return {
    ...{ name: `agent of ${pod}`, faults: ['kill', 'stop'], envoyOf: pod },
    begin: async (fault) => {
      const { program } = testbed.sidecar(pod);
      await program.signal(fault === 'kill' ? 'KILL' : 'STOP');
      if (fault === 'kill') await program.exited;
    },
    end: async (fault) => {
      if (fault === 'stop') await testbed.sidecar(pod).program.signal('CONT');
      else await (await testbed.startAgain(pod)).ready();
    },
  };
}

function envoyPart({ testbed }: ClusterMesh, pod: string): MeshPart {
  const newest = async (): Promise<string> =>
    [...(await testbed.sidecar(pod).output()).matchAll(/Envoy started\tpid=(\d+)/g)].at(-1)?.[1] ?? '';
  let hurt = '';
  const isAgain = async (): Promise<true | undefined> => ((await newest()) === hurt ? undefined : true);
  return {
    ...{ name: `Envoy of ${pod}`, faults: ['kill', 'stop'], envoyOf: pod },
    begin: async (fault) => {
      hurt = await newest();
      await testbed.sandbox.must(['kill', fault === 'kill' ? '-KILL' : '-STOP', hurt]);
    },
    end: async (fault) => {
      if (fault === 'stop') await testbed.sandbox.must(['kill', '-CONT', hurt]);
      else
        await until(isAgain, { timeoutMs: wellMs, otherwise: async () => `the Envoy of ${pod} is not started again` });
      await testbed.sidecar(pod).ready();
    },
  };
}
