import type { Snapshot } from '../../compiler/snapshot.ts';
import { resolveShortName } from '../../compiler/topology/host.ts';
import type { ServiceTarget, Topology, Workload } from '../../compiler/topology/model.ts';
import { append } from '../../lib/append.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';

/** A workload behind a service port. */
export interface Served {
  readonly workload: Workload;
  readonly target: ServiceTarget;
}

const servedByHost = new WeakMap<Topology, ReadonlyMap<string, readonly Served[]>>();

/** The host of a rule in its full form. */
export function hostOf({ spec, namespace }: DestinationRule, { settings }: Pick<Snapshot, 'settings'>): string {
  return resolveShortName(spec.host, namespace, settings.clusterDomain);
}

/** The workloads behind the one service that a rule is for; none where its host is a pattern or unknown. */
export function servedFor(rule: DestinationRule, snapshot: Snapshot): readonly Served[] {
  const { topology } = snapshot;
  const known = servedByHost.get(topology) ?? indexed(topology);
  servedByHost.set(topology, known);
  return known.get(hostOf(rule, snapshot)) ?? [];
}

function indexed({ workloads }: Topology): ReadonlyMap<string, readonly Served[]> {
  const found = new Map<string, Served[]>();
  for (const workload of workloads) {
    for (const target of workload.targets) append(found, target.service.host, { workload, target });
  }
  return found;
}

/** The rules that share their host with no other rule: what they say is not overlaid by another one. */
export function rulesAlone(snapshot: Snapshot): DestinationRule[] {
  const byHost = new Map<string, DestinationRule[]>();
  for (const rule of snapshot.policies.destinationRules) append(byHost, hostOf(rule, snapshot), rule);
  return [...byHost.values()].flatMap((rules) => (rules.length === 1 ? rules : []));
}
