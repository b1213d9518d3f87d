import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { promisify } from 'node:util';
import { bringPort } from '../../src/testbed/brought-port.ts';
import { applyInstallation } from '../../src/testing/kubernetes/apply.ts';
import { type Cluster, startCluster, usualControllers } from '../../src/testing/kubernetes/cluster.ts';
import { kubeconfigText } from '../../src/testing/kubernetes/kubeconfig-text.ts';
import { adminKubectl, type Kubectl } from '../../src/testing/kubernetes/kubectl.ts';
import type { AsksMeshd } from '../demo/arrivals.ts';
import type { ServedSource } from '../served/served-fleet.ts';
import { createServedMesh, type ServedMesh, type ServedMeshOptions } from '../served/served-mesh.ts';
import { playKubelet } from './played-kubelet.ts';

/** A mesh that meshd reads from a Kubernetes API server; its pods are network namespaces with real Envoys. */
export interface ClusterMesh extends AsksMeshd, Pick<ServedMesh, 'testbed' | 'fleet'> {
  readonly cluster: Cluster;
  readonly kubectl: Kubectl;
  /** For kubectl, as an administrator. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Variables of a control plane of such a mesh, for whoever starts one again. */
export const clusterPlaneEnv: Readonly<Record<string, string>> = { PILOT_ENABLE_STATUS: 'true' };

export interface ClusterMeshOptions extends Pick<ServedMeshOptions, 'env'> {
  /** What each pod is given; a certificate of the authority of meshd by default. */
  readonly provision?: (cluster: Cluster) => NonNullable<ServedMeshOptions['provision']>;
}

/** Starts API server, controllers, meshd and the pods of `example` (a folder with `topology.yaml`); returns when all are ready. */
export async function createClusterMesh(
  example: string,
  onProgress: (step: string) => void,
  { env, provision }: ClusterMeshOptions = {},
): Promise<ClusterMesh> {
  onProgress('etcd, API server, controllers');
  const cluster = await startCluster({ controllers: [...usualControllers, 'endpoints-controller'] });
  const ends: (() => Promise<unknown>)[] = [() => cluster.close()];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const kubeconfig = cluster.kubeconfig('admin', cluster.adminToken);
    const kubectl = await adminKubectl(cluster);
    const topology = await readFile(`${example}/topology.yaml`, 'utf8');
    onProgress('custom resources, rights of meshd, namespaces, services, pods');
    const definitions = await promisify(execFile)(process.execPath, ['dist/meshd.js', 'crds'], { maxBuffer: 64 << 20 });
    await kubectl(['apply', '--server-side', '-f', '-'], definitions.stdout);
    await applyInstallation(cluster);
    await kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
    await playKubelet(cluster, kubectl, topology);
    const mesh = await createServedMesh({
      topology,
      ...(env && { env }),
      ...(provision && { provision: provision(cluster) }),
      mannerOf: () => ({ via: 'agent', form: 'delta' }),
      source: sourceOf(cluster, (server) => ends.push(async () => server.close())),
      onProgress,
    });
    ends.push(mesh.close);
    const ask = async <T>(path: string): Promise<T | undefined> => {
      const [plane] = mesh.fleet.planes;
      return plane && ((await mesh.fleet.ask(plane, [path]))[0] as T | undefined);
    };
    const { testbed, fleet } = mesh;
    return { cluster, kubectl, kubeconfig, testbed, fleet, ask, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** meshd reaches the API server, on loopback of this machine, through its own loopback, with the rights of its account. */
function sourceOf(cluster: Cluster, opened: (server: Server) => void): ServedSource {
  const file = 'kubeconfig';
  return {
    flags: ['--kubernetes', '--kubeconfig', file],
    env: clusterPlaneEnv,
    prepare: async ({ sandbox }, plane) => {
      opened(await bringPort(sandbox, plane.network, cluster.port));
      const token = await cluster.accountToken('mesh-system', 'meshd');
      await plane.write(file, kubeconfigText(cluster.port, cluster.ca, token));
    },
  };
}
