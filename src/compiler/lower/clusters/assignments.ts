import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { ClusterIR, EndpointsIR } from '../../ir/cluster.ts';
import type { AssignmentsIR, ConflictIR } from '../../ir/proxy.ts';
import type { Endpoint, Service, Topology } from '../../topology/model.ts';
import type { Memo } from '../memo.ts';
import { type EndpointSelection, endpointsIr, selectEndpoints } from './endpoints.ts';
import type { LocalityBalancing } from './locality-balancing.ts';

/** Where the endpoints of a cluster of type `eds` come from, and how its clients tell them apart. */
export interface EndpointChoice extends EndpointSelection {
  readonly service: Service;
  readonly balancing: LocalityBalancing;
}

/** A cluster says nothing of endpoints that are a resource apart: its choice is found by its identity. */
const choices = new WeakMap<ClusterIR, EndpointChoice>();

/** The cluster, whose endpoints are to be chosen so. */
export function choosing(cluster: ClusterIR, choice: EndpointChoice | undefined): ClusterIR {
  if (choice !== undefined) choices.set(cluster, choice);
  return cluster;
}

export function choiceOf(cluster: ClusterIR): EndpointChoice | undefined {
  return choices.get(cluster);
}

/** The endpoints of the clusters of one half, each made anew only where the list of its service is another. */
export function assignments(
  half: { readonly clusters: readonly ClusterIR[] },
  endpoints: Topology['endpoints'],
  memo: Memo,
): AssignmentsIR {
  const bag = new DiagnosticBag();
  return memo.of([half, endpoints], 'assignments', bag, (own) => {
    const byCluster = new Map<string, EndpointsIR>();
    const conflicts: ConflictIR[] = [];
    for (const cluster of half.clusters) {
      const choice = choices.get(cluster);
      if (choice === undefined) continue;
      const list = endpoints.get(choice.service) ?? none;
      const { assigned, isServed } = memo.of([cluster, list], 'assigned', own, () => assign(cluster, choice, list));
      byCluster.set(cluster.name, assigned);
      if (!isServed) conflicts.push({ metric: 'pilot_eds_no_instances', key: cluster.name });
    }
    return { byCluster, conflicts };
  });
}

const none: readonly Endpoint[] = [];

/** Shares by locality may leave out all endpoints of a service that is served. */
function assign({ name }: ClusterIR, choice: EndpointChoice, list: readonly Endpoint[]) {
  const selected = selectEndpoints(list, choice);
  return { assigned: endpointsIr(name, selected, choice.balancing), isServed: selected.length > 0 };
}
