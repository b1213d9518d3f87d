import { hosts, type MeshHost, type MeshPod, rootNamespace } from '../../generated-mesh.ts';
import { isExported, oldestFirst, type RouteIntents, type RoutePolicy, type ScopePolicy } from './intent.ts';
import { fullName, isWithin } from './names.ts';

/** What a workload's proxy knows. */
export interface Known {
  /** Oldest first. */
  readonly routes: readonly RoutePolicy[];
  readonly services: readonly MeshHost[];
}

/** All that is exported to a workload and that its Sidecar imports. Routes may lead to other services, by these routes alone. */
export function knownTo({ routes, scopes }: RouteIntents, pod: MeshPod): Known {
  const imports = importsOf(scopes, pod);
  const imported = (namespace: string, host: string): boolean =>
    imports === undefined || imports.some((entry) => covers(entry, pod.namespace, namespace, host));
  const seen = oldestFirst(routes).filter((policy) => {
    const { metadata, spec } = policy;
    const names = spec.hosts.map((host) => fullName(host, metadata.namespace));
    return isExported(policy, pod.namespace) && names.some((name) => imported(metadata.namespace, name));
  });
  return { routes: seen, services: hosts.filter(({ namespace, host }) => imported(namespace, host)) };
}

/** Hosts of the Sidecar in force; undefined: every host. */
function importsOf(scopes: readonly ScopePolicy[], pod: MeshPod): readonly string[] | undefined {
  const all = oldestFirst(scopes);
  const selects = ({ metadata, spec }: ScopePolicy): boolean =>
    metadata.namespace === pod.namespace &&
    spec.workloadSelector !== undefined &&
    Object.entries(spec.workloadSelector.labels).every(([key, value]) => pod.labels[key] === value);
  const whole = (namespace: string): ScopePolicy | undefined =>
    all.find(({ metadata, spec }) => metadata.namespace === namespace && spec.workloadSelector === undefined);
  const levels = [all.find(selects), whole(pod.namespace), whole(rootNamespace)];
  // Deviation, towards fewer services: a Sidecar that says nothing of egress leaves it to the next wider one.
  const egress = levels.find((level) => level?.spec.egress !== undefined)?.spec.egress;
  return egress?.flatMap((listener) => listener.hosts);
}

/** Whether an entry `namespace/host` names the host of a namespace, or part of the hosts that it stands for. */
function covers(entry: string, client: string, namespace: string, host: string): boolean {
  const [owner = '', name = ''] = entry.split('/');
  const isOwner = owner === '*' || owner === namespace || (owner === '.' && namespace === client);
  return isOwner && (isWithin(host, name) || isWithin(name, host));
}
