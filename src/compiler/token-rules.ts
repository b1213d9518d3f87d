import type { JwtRule } from '../policy/request-authentication.ts';
import type { WorkloadKey } from './merge/effective.ts';
import type { Snapshot } from './snapshot.ts';
import type { Workload } from './topology/model.ts';

/** The rules for tokens that are in force at a workload, or at any: rendering asks for the key set of each. */
export function tokenRulesOf(snapshot: Snapshot, proxy: WorkloadKey | 'all'): readonly JwtRule[] {
  const { topology, effective } = snapshot;
  if (snapshot.policies.requestAuthentications.length === 0) return [];
  const isMeant = ({ namespace, name, role }: Workload): boolean =>
    proxy === 'all' ? role !== 'none' : namespace === proxy.namespace && name === proxy.name;
  const policies = topology.workloads.filter(isMeant).flatMap((workload) => effective.requestAuthentications(workload));
  return [...new Set(policies)].flatMap(({ spec }) => spec.jwtRules ?? []);
}
