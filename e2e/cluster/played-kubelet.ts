import { loadAll } from 'js-yaml';
import type { Cluster } from '../../src/testing/kubernetes/cluster.ts';
import type { Kubectl } from '../../src/testing/kubernetes/kubectl.ts';
import { type PodManifest, runPod } from '../../src/testing/kubernetes/run-pod.ts';

interface Manifest {
  readonly kind: string;
  readonly spec?: { readonly clusterIPs?: readonly string[] };
}

/**
 * Brings a topology to a cluster: namespaces, accounts and services with kubectl, and its pods as a kubelet would that runs
 * them on a node, with the addresses and conditions of their `status`.
 */
export async function playKubelet({ api }: Cluster, kubectl: Kubectl, topology: string): Promise<void> {
  const objects = loadAll(topology) as Manifest[];
  const pods = objects.filter(isPod);
  const others = objects.filter((object) => !isPod(object));
  await kubectl(
    ['apply', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: others.map(withFamilies) }),
  );
  for (const pod of pods) await runPod(api, pod);
}

/** A server asks for the word where a service has addresses of both families. */
function withFamilies(object: Manifest): object {
  const isDual = object.kind === 'Service' && (object.spec?.clusterIPs ?? []).length > 1;
  return isDual ? { ...object, spec: { ...object.spec, ipFamilyPolicy: 'RequireDualStack' } } : object;
}

function isPod(object: Manifest): object is Manifest & PodManifest {
  return object.kind === 'Pod';
}
