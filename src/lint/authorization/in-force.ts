import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { append } from '../../lib/append.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';

const known = new WeakMap<Snapshot, ReadonlyMap<AuthorizationPolicy, readonly Workload[]>>();

/** The workloads with a proxy for which each policy is in force; policies without one are left out. */
export function workloadsByPolicy(snapshot: Snapshot): ReadonlyMap<AuthorizationPolicy, readonly Workload[]> {
  const found = known.get(snapshot);
  if (found !== undefined) return found;
  const byPolicy = new Map<AuthorizationPolicy, Workload[]>();
  for (const workload of snapshot.topology.workloads) {
    if (workload.role === 'none') continue;
    for (const policy of snapshot.effective.authorizationPolicies(workload)) append(byPolicy, policy, workload);
  }
  known.set(snapshot, byPolicy);
  return byPolicy;
}
