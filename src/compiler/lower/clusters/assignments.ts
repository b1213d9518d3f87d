import { append } from '../../../lib/append.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { ClusterIR, EndpointsIR } from '../../ir/cluster.ts';
import type { AssignmentsIR } from '../../ir/proxy.ts';
import type { Endpoint, Service, Topology } from '../../topology/model.ts';
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

type Clusters = readonly ClusterIR[];
type Lists = Topology['endpoints'];

/** Clusters that choose endpoints, by their service. */
type Choosers = ReadonlyMap<Service, Clusters>;

/** What was last asked of a list of clusters: a change of few services costs no look at the clusters of the others. */
interface Last {
  readonly choosers: Choosers;
  readonly lists: Lists;
  readonly assigned: AssignmentsIR;
}

/** Scopes that see the same services share their list of clusters. */
const lasts = new WeakMap<Clusters, Last>();

/** The endpoints of clusters, each made anew only where the list of its service is another. */
export function assignments(clusters: Clusters, lists: Lists): AssignmentsIR {
  const last = lasts.get(clusters);
  // In most workloads' own lists no cluster chooses anything.
  if (last !== undefined && (last.lists === lists || last.choosers.size === 0)) return last.assigned;
  const choosers = last?.choosers ?? choosersOf(clusters);
  const assigned = last === undefined ? assignAll(choosers, lists) : assignChanged(last, lists);
  lasts.set(clusters, { choosers, lists, assigned });
  return assigned;
}

function choosersOf(clusters: Clusters): Choosers {
  const byService = new Map<Service, ClusterIR[]>();
  for (const cluster of clusters) {
    const service = choices.get(cluster)?.service;
    if (service !== undefined) append(byService, service, cluster);
  }
  return byService;
}

const nothing: AssignmentsIR = { endpoints: [], places: new Map(), conflicts: [] };

function assignAll(choosers: Choosers, lists: Lists): AssignmentsIR {
  if (choosers.size === 0) return nothing;
  const clusters = [...choosers.values()].flat();
  const names = sortedBy(new Set(clusters.map(({ name }) => name)), (name) => name);
  const empty = { endpoints: [], places: new Map(names.map((name, i) => [name, i])), conflicts: [] };
  return assign(empty, clusters, lists);
}

function assignChanged({ choosers, lists: before, assigned }: Last, after: Lists): AssignmentsIR {
  const changed = changedServices(before, after).flatMap((service) => choosers.get(service) ?? []);
  return changed.length === 0 ? assigned : assign(assigned, changed, after);
}

/** What these clusters choose now, in the places of what they chose before. */
function assign(
  { endpoints: before, places, conflicts }: AssignmentsIR,
  clusters: Clusters,
  lists: Lists,
): AssignmentsIR {
  const endpoints = [...before];
  const unserved = new Set(conflicts.map(({ key }) => key));
  for (const cluster of clusters) {
    const choice = choices.get(cluster);
    const place = places.get(cluster.name);
    if (choice === undefined || place === undefined) continue;
    const chosen = chosenOf(cluster, choice, lists.get(choice.service) ?? none);
    endpoints[place] = chosen.endpoints;
    // Shares by locality may leave out all endpoints of a service that is served.
    if (chosen.isServed) unserved.delete(cluster.name);
    else unserved.add(cluster.name);
  }
  return { endpoints, places, conflicts: [...unserved].map((key) => ({ metric: 'pilot_eds_no_instances', key })) };
}

const none: readonly Endpoint[] = [];

interface Chosen {
  readonly from: readonly Endpoint[];
  readonly endpoints: EndpointsIR;
  readonly isServed: boolean;
}

/** What each cluster last chose: it stands in the lists of many scopes. */
const lastChosen = new WeakMap<ClusterIR, Chosen>();

function chosenOf(cluster: ClusterIR, choice: EndpointChoice, from: readonly Endpoint[]): Chosen {
  const known = lastChosen.get(cluster);
  if (known?.from === from) return known;
  const selected = selectEndpoints(from, choice);
  const endpoints = endpointsIr(cluster.name, selected, choice.balancing);
  const fresh = { from, endpoints, isServed: selected.length > 0 };
  lastChosen.set(cluster, fresh);
  return fresh;
}

/** The last answer for each topology, since every list of clusters asks the same; the one before is not kept for it. */
const differences = new WeakMap<Lists, { readonly before: WeakRef<Lists>; readonly services: readonly Service[] }>();

/** Services whose lists are not those of before, or are gone. */
function changedServices(before: Lists, after: Lists): readonly Service[] {
  const known = differences.get(after);
  if (known?.before.deref() === before) return known.services;
  const services = [...after.keys()].filter((service) => before.get(service) !== after.get(service));
  for (const service of before.keys()) if (!after.has(service)) services.push(service);
  differences.set(after, { before: new WeakRef(before), services });
  return services;
}
