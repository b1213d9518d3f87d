import type { JwtRule } from '../policy/request-authentication.ts';
import type { WorkloadKey } from './merge/effective.ts';
import type { Snapshot } from './snapshot.ts';

/** The rules for tokens that are in force at a workload: rendering asks for the key set of each. None where it is not in the mesh. */
export function tokenRulesOf({ topology, effective }: Snapshot, { namespace, name }: WorkloadKey): readonly JwtRule[] {
  const workload = topology.workloads.find((other) => other.namespace === namespace && other.name === name);
  if (workload === undefined) return [];
  return effective.requestAuthentications(workload).flatMap(({ spec }) => spec.jwtRules ?? []);
}
