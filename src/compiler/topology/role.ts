import type { ContainerSpec, PodSpec } from '../policy/topology-kinds.ts';
import type { WorkloadRole } from './model.ts';
import type { Labels } from './selector.ts';

/** Label that says whether an endpoint speaks mutual TLS: `mesh` when it does, anything else when it must be spared. */
const tlsModeLabel = 'security.mesh.io/tlsMode';
const injectKey = 'sidecar.mesh.io/inject';
const proxyContainer = 'mesh-proxy';

export interface PodFacts {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: PodSpec;
  readonly namespaceLabels: Labels;
}

/** Which proxy a pod has: the one in its containers, else the one that injection would add. */
export function roleOfPod(pod: PodFacts): WorkloadRole {
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  const proxy = containers.find((container) => container.name === proxyContainer);
  if (proxy !== undefined) return runsRouter(proxy) ? 'router' : 'sidecar';
  if (pod.labels[tlsModeLabel] === 'mesh') return 'sidecar';
  return isInjected(pod) ? 'sidecar' : 'none';
}

/** A machine outside the cluster says itself that an agent runs beside it. */
export function roleOfEntry(labels: Labels): WorkloadRole {
  return labels[tlsModeLabel] === 'mesh' ? 'sidecar' : 'none';
}

/** Whether clients use mesh TLS towards the workload: its label decides, else its sidecar does. */
export function acceptsMeshTls(labels: Labels, role: WorkloadRole): boolean {
  const label = labels[tlsModeLabel];
  return label === undefined ? role === 'sidecar' : label === 'mesh';
}

function runsRouter(proxy: ContainerSpec): boolean {
  const words = [...(proxy.command ?? []), ...(proxy.args ?? [])];
  return words.some((word, i) => word === 'proxy' && words[i + 1] === 'router');
}

function isInjected(pod: PodFacts): boolean {
  // A pod on the node's network would redirect the traffic of the whole node.
  if (pod.spec.hostNetwork === true) return false;
  const answer = pod.labels[injectKey] ?? pod.annotations[injectKey];
  if (answer === 'true' || answer === 'false') return answer === 'true';
  return pod.namespaceLabels['mesh-injection'] === 'enabled';
}
