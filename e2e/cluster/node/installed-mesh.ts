import { appendFile, chmod } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { buildNetwork } from '../../../src/testbed/network.ts';
import { openSandbox, repository, type Sandbox, scratch } from '../../../src/testbed/sandbox.ts';
import { node } from '../../../src/testbed/sidecar.ts';
import { type Cluster, startCluster, usualControllers } from '../../../src/testing/kubernetes/cluster.ts';
import { rootsScript } from './container.ts';
import { Kubelet } from './kubelet.ts';
import { MeshdPod } from './meshd-pod.ts';
import type { PodOnServer } from './pod-object.ts';
import { type PodOnNode, RunningPod } from './running-pod.ts';

const controllers = [...usualControllers, 'endpoints-controller', 'deployment-controller', 'replicaset-controller'];
const systemNamespace = 'mesh-system';

interface Service {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly clusterIP: string; readonly selector?: Readonly<Record<string, string>> };
}

/**
 * A cluster with one node that runs whatever is installed in it: pods of `meshd` on this machine's loopback, all others in
 * network namespaces. Nothing of a manifest is changed for it.
 */
export class InstalledMesh {
  readonly cluster: Cluster;
  readonly sandbox: Sandbox;
  readonly kubelet: Kubelet;
  readonly #planes = new Map<string, MeshdPod>();
  readonly #pods = new Map<string, RunningPod>();
  readonly #servers: Server[] = [];
  readonly #named = new Set<string>();
  #lastIndex = 0;

  private constructor(cluster: Cluster, sandbox: Sandbox) {
    this.cluster = cluster;
    this.sandbox = sandbox;
    this.kubelet = new Kubelet({ cluster, run: (pod) => this.#run(pod) });
  }

  /** Starts the cluster and its node; installs nothing. */
  static async start(): Promise<InstalledMesh> {
    let mesh: InstalledMesh | undefined;
    const findService = async (host: string, port: number) => mesh?.portOf(host, port);
    const cluster = await startCluster({ controllers, findService });
    try {
      const sandbox = await openSandbox();
      mesh = new InstalledMesh(cluster, sandbox);
      await buildNetwork(sandbox, { pods: [], services: [] });
      await sandbox.must(['sh', '-e'], { stdin: rootsScript });
      mesh.kubelet.start();
      return mesh;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** Pods that run now, without those of the control plane. */
  podsOf(namespace: string, app: string): readonly RunningPod[] {
    return [...this.#pods.values()].filter(
      ({ pod: { metadata } }) => metadata.namespace === namespace && metadata.labels?.app === app,
    );
  }

  /** The pod of `meshd` of a revision that was started last, of those that have been ready. */
  plane(revision: string): MeshdPod | undefined {
    return [...this.#planes.values()].filter((plane) => plane.revision === revision && plane.wasReady).at(-1);
  }

  /** Gives services that have been made since their names in pods, and those of control planes a way from there. */
  async nameServices(namespaces: readonly string[]): Promise<void> {
    for (const namespace of namespaces) {
      const { items } = await this.cluster.api.must('GET', `/api/v1/namespaces/${namespace}/services`);
      for (const service of items as Service[]) {
        const { clusterIP } = service.spec;
        if (this.#named.has(clusterIP)) continue;
        this.#named.add(clusterIP);
        await this.#name(service);
      }
    }
  }

  /** Where the API server finds the port of a service of the control plane. */
  async portOf(host: string, port: number): Promise<number | undefined> {
    const { items } = await this.cluster.api.must('GET', `/api/v1/namespaces/${systemNamespace}/services`);
    const service = (items as Service[]).find(({ spec }) => spec.clusterIP === host);
    return this.plane(service?.spec.selector?.['mesh.io/rev'] ?? '')?.ports[port as 15017];
  }

  async close(): Promise<void> {
    await this.kubelet.close();
    await Promise.all([...this.#planes.values()].map((plane) => plane.stop()));
    for (const server of this.#servers) server.close();
    await this.sandbox.close();
    await this.cluster.close();
  }

  async #run(pod: PodOnServer): Promise<PodOnNode> {
    const { namespace, name, uid, labels } = pod.metadata;
    if (namespace === systemNamespace && labels?.app === 'meshd') {
      const plane = await MeshdPod.start(pod, this.cluster);
      this.#planes.set(uid, plane);
      return this.#forgetting(plane, () => this.#planes.delete(uid));
    }
    this.#lastIndex += 1;
    const index = this.#lastIndex;
    const place = { sandbox: this.sandbox, name: `${namespace}-${name}`, ip: `10.77.1.${index}`, hostIp: '10.77.0.1' };
    const running = await RunningPod.start(pod, place, { cluster: this.cluster, index });
    this.#pods.set(uid, running);
    return this.#forgetting(running, () => this.#pods.delete(uid));
  }

  #forgetting(pod: PodOnNode, forget: () => unknown): PodOnNode {
    return {
      ip: pod.ip,
      isReady: () => pod.isReady(),
      stop: async () => {
        await pod.stop();
        forget();
      },
    };
  }

  async #name({ metadata: { name, namespace }, spec: { clusterIP, selector } }: Service): Promise<void> {
    const names = ['', '.svc', '.svc.cluster.local'].map((end) => `${name}.${namespace}${end}`);
    await appendFile(join(this.sandbox.folder, 'hosts'), `${clusterIP} ${names.join(' ')}\n`);
    if (namespace === systemNamespace) await this.#lead(clusterIP, selector?.['mesh.io/rev'] ?? '');
  }

  /** From the address of a service in the hub, by a Unix socket, to whichever process is behind it at the moment. */
  async #lead(clusterIP: string, revision: string): Promise<void> {
    const name = `meshd-${revision}.sock`;
    const server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ port: this.plane(revision)?.ports[15012] ?? 1, host: '127.0.0.1', allowHalfOpen: true });
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
      near.pipe(far);
      far.pipe(near);
    });
    const path = join(this.sandbox.folder, name);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await chmod(path, 0o666);
    this.#servers.push(server);
    await this.sandbox.must(['ip', 'addr', 'add', `${clusterIP}/32`, 'dev', 'lo']);
    const relay = [node, `${repository}/src/testbed/port-relay.ts`, '15012', join(scratch, name), clusterIP];
    await this.sandbox.start(relay, join(this.sandbox.folder, `${name}.log`));
  }
}
