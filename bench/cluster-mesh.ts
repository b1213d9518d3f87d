import { loadAll } from 'js-yaml';
import { type Cluster, startCluster } from '../src/testing/kubernetes/cluster.ts';
import { defineAll } from '../src/testing/kubernetes/definitions.ts';
import { runPod } from '../src/testing/kubernetes/run-pod.ts';
import { generateMesh, type MeshSize } from './mesh.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly containers?: readonly object[]; readonly serviceAccountName?: string };
  readonly status?: { readonly podIP: string };
}

/** Writes that are on their way at once. */
const atOnce = 16;

/** A real API server that holds a mesh; nobody runs its pods. */
export class ClusterMesh {
  readonly cluster: Cluster;
  readonly #size: MeshSize;
  #isReady = true;

  private constructor(cluster: Cluster, size: MeshSize) {
    this.cluster = cluster;
    this.#size = size;
  }

  /** Starts the server and writes the mesh: definitions, namespaces, accounts, services, pods, a slice a service. */
  static async create(size: MeshSize): Promise<ClusterMesh> {
    const cluster = await startCluster();
    const mesh = new ClusterMesh(cluster, size);
    try {
      await mesh.#write();
      return mesh;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  async #write(): Promise<void> {
    const { api } = this.cluster;
    await defineAll(this.cluster);
    const objects = generateMesh(this.#size).flatMap(({ text }) => loadAll(text) as Manifest[]);
    const of = (kind: string): readonly Manifest[] => objects.filter((object) => object.kind === kind);
    for (const { metadata, ...rest } of of('Namespace'))
      await api.must('POST', '/api/v1/namespaces', { metadata, ...rest });
    const pods = of('Pod');
    const accounts = new Set(pods.map(({ metadata, spec }) => `${metadata.namespace}/${spec.serviceAccountName}`));
    await each([...accounts], (account) => {
      const [namespace, name] = account.split('/');
      return api.must('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
    });
    await each(of('Service'), async ({ metadata, spec }) => {
      await api.must('POST', `/api/v1/namespaces/${metadata.namespace}/services`, {
        metadata,
        spec: { ...spec, clusterIP: undefined },
      });
    });
    await each(of('DestinationRule'), (rule) =>
      api.must('POST', `/apis/networking.mesh.io/v1beta1/namespaces/${rule.metadata.namespace}/destinationrules`, {
        ...rule,
        apiVersion: 'networking.mesh.io/v1beta1',
      }),
    );
    await each(pods, (pod) => runPod(api, pod));
    await each(
      Array.from({ length: this.#size.services }, (_, s) => s),
      (s) => this.#writeSlice(s, pods),
    );
  }

  /** The endpoints of a service, as the controller of slices would write them. */
  async #writeSlice(s: number, pods: readonly Manifest[]): Promise<void> {
    const namespace = `ns-${s % this.#size.namespaces}`;
    const own = pods.filter((_, w) => w % this.#size.services === s);
    const slice = {
      metadata: { name: `svc-${s}`, labels: { 'kubernetes.io/service-name': `svc-${s}` } },
      addressType: 'IPv4',
      ports: [
        { name: 'http', port: 8080 },
        { name: 'grpc', port: 9000 },
        { name: 'tcp-data', port: 7000 + (s % 10) },
      ],
      endpoints: own.map(({ metadata: { name }, status }) => ({
        addresses: [status?.podIP],
        conditions: { ready: true },
        targetRef: { kind: 'Pod', name, namespace },
      })),
    };
    await this.cluster.api.must('POST', `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, slice);
  }

  /** The first endpoint of service 7 becomes ready, or is no longer: calls back as the server is asked. */
  async flip(): Promise<void> {
    this.#isReady = !this.#isReady;
    const path = `/apis/discovery.k8s.io/v1/namespaces/ns-${7 % this.#size.namespaces}/endpointslices/svc-7`;
    const patch = [{ op: 'replace', path: '/endpoints/0/conditions/ready', value: this.#isReady }];
    await this.#patch(path, patch, 'application/json-patch+json');
  }

  /** What says nothing to a mesh: annotations, and the times of conditions. */
  async chatter(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      const path = `/api/v1/namespaces/ns-0/pods/p-0`;
      await this.#patch(path, { metadata: { annotations: { seen: `${round}` } } });
      const lastProbeTime = new Date(Date.now() + round * 1_000).toISOString();
      await this.#patch(`${path}/status`, {
        status: { conditions: [{ type: 'Ready', status: 'True', lastProbeTime }] },
      });
      await this.#patch('/apis/networking.mesh.io/v1beta1/namespaces/ns-0/destinationrules/rule-0/status', {
        status: { observedGeneration: round },
      });
    }
  }

  async #patch(path: string, body: object, type = 'application/merge-patch+json'): Promise<void> {
    await this.cluster.api.must('PATCH', path, body, type);
  }
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
