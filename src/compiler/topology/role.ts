import type { InjectionChoice } from '../../config/settings.ts';
import type { ContainerSpec } from '../../policy/topology-kinds.ts';
import { injectedRole, isInjected, type PodFacts } from './injection.ts';
import type { WorkloadRole } from './model.ts';
import type { Labels } from './selector.ts';

/** Label that says whether an endpoint speaks mutual TLS: `mesh` when it does, anything else when it must be spared. */
const tlsModeLabel = 'security.mesh.io/tlsMode';
const proxyContainer = 'mesh-proxy';

/** Which proxy a pod has: the one in its containers, else the one that injection would add. */
export function roleOfPod(pod: PodFacts, choice: InjectionChoice): WorkloadRole {
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  const proxy = containers.find((container) => container.name === proxyContainer);
  // Injection replaces this image, so that the container alone says nothing of what will run.
  const isFilledIn = proxy?.image === 'auto';
  if (proxy !== undefined && !isFilledIn) return runsRouter(proxy) ? 'router' : 'sidecar';
  const injected = injectedRole(pod);
  if (injected === 'router' && (isFilledIn || isInjected(pod, choice))) return 'router';
  if (pod.labels[tlsModeLabel] === 'mesh') return 'sidecar';
  return isInjected(pod, choice) ? injected : 'none';
}

/** Whether injection fills in the proxy and the pod has no other container: it runs no application beside a sidecar. */
export function isProxyAlone({ containers = [] }: PodFacts['spec']): boolean {
  return containers.length === 1 && containers[0]?.name === proxyContainer && containers[0].image === 'auto';
}

/** A machine outside the cluster says itself that an agent runs beside it. */
export function roleOfEntry(labels: Labels): WorkloadRole {
  return labels[tlsModeLabel] === 'mesh' ? 'sidecar' : 'none';
}

/** The agent runs on every machine of a group, unless its label says otherwise: it is what a group is for. */
export function roleOfGroup(labels: Labels): WorkloadRole {
  return labels[tlsModeLabel] === undefined ? 'sidecar' : roleOfEntry(labels);
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
