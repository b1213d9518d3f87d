import { loadAll } from 'js-yaml';
import type { Cluster } from '../../src/testing/kubernetes/cluster.ts';
import type { Kubectl } from './kubectl.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly containers?: readonly object[]; readonly clusterIPs?: readonly string[] };
  readonly status?: object;
}

/**
 * Brings a topology to a cluster: namespaces, accounts and services with kubectl, and its pods as a kubelet would that runs
 * them on a node, with the addresses and conditions of their `status`.
 */
export async function playKubelet({ api }: Cluster, kubectl: Kubectl, topology: string): Promise<void> {
  const objects = loadAll(topology) as Manifest[];
  const [pods, others] = [objects.filter(isPod), objects.filter((object) => !isPod(object))];
  await kubectl(
    ['apply', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: others.map(withFamilies) }),
  );
  for (const { metadata, spec, status, ...rest } of pods) {
    const containers = (spec?.containers ?? []).map((container) => ({ image: 'application', ...container }));
    const path = `/api/v1/namespaces/${metadata.namespace}/pods`;
    await api.must('POST', path, { ...rest, metadata, spec: { ...spec, nodeName: 'node', containers } });
    await api.must('PATCH', `${path}/${metadata.name}/status`, { status }, 'application/merge-patch+json');
  }
}

/** A server asks for the word where a service has addresses of both families. */
function withFamilies(object: Manifest): object {
  const isDual = object.kind === 'Service' && (object.spec?.clusterIPs ?? []).length > 1;
  return isDual ? { ...object, spec: { ...object.spec, ipFamilyPolicy: 'RequireDualStack' } } : object;
}

function isPod({ kind }: Manifest): boolean {
  return kind === 'Pod';
}
