import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { compareStrings, sortedBy } from '../../lib/sort.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import { familiesOf } from './address.ts';
import { ClaimedAddresses } from './claimed-addresses.ts';
import { EarlierTopology } from './earlier.ts';
import { reportEmptyService } from './empty-service.ts';
import { endpointFacts } from './endpoint-facts.ts';
import { findEndpoints } from './endpoints.ts';
import { type GatewaySelector, roleUnder } from './gateway-selectors.ts';
import { injectedNamespace } from './injection.ts';
import type { IpFamily, ServiceTarget, Topology, Workload } from './model.ts';
import { ofKind } from './of-kind.ts';
import { Registry } from './registry.ts';
import type { Labels } from './selector.ts';
import { draftServices } from './service-drafts.ts';
import { bindTargets } from './targets.ts';
import { reportUnusedEntries } from './unused-entries.ts';
import { draftWorkloads } from './workload-drafts.ts';
import type { WorkloadDraft } from './workloads.ts';

/**
 * Who there is in the mesh: services with their endpoints, workloads with what is delivered to them. With `previous`,
 * a service or workload of which nothing has changed is the same object as before. `gateways` make gateway workloads.
 * Where injection is presumed, workloads of a namespace without an object are taken for injected.
 */
export function resolveTopology(
  objects: readonly kinds.TopologyObject[],
  settings: Settings,
  bag: DiagnosticBag,
  previous?: Topology,
  gateways: readonly GatewaySelector[] = [],
  presumesInjection = false,
): Topology {
  const earlier = new EarlierTopology(previous);
  const sorted = sortedBy(
    objects,
    (object) => object.kind,
    (object) => object.namespace,
    (object) => object.name,
  );
  const namespaces = namespacesOf(sorted);
  const declared = new Map(ofKind(sorted, 'Namespace').map(({ name, labels }) => [name, labels]));
  const presumedLabels = presumesInjection ? injectedNamespace : {};
  const { trustDomain } = settings;
  const drafts = draftWorkloads(sorted, { trustDomain, namespaces: declared, presumedLabels, bag });
  const registry = new Registry(drafts, ofKind(sorted, 'Endpoints'), ofKind(sorted, 'EndpointSlice'));
  const counts = { endpointsWithoutPod: 0, endpointsNotReady: 0 };
  const found = draftServices(sorted, settings, bag).map((draft) => {
    const told = bag.all.length;
    const endpoints = findEndpoints(draft, { registry, settings, counts, bag });
    const isTold = bag.all.length > told;
    if (endpoints.ready.length === 0 && !isTold) reportEmptyService(draft, registry, bag);
    return { draft, service: draft.service, ...endpoints };
  });
  const claimed = new ClaimedAddresses(found, bag);
  const services = found.map(({ draft, service, known, ready }) => {
    const facts = earlier.facts(endpointFacts(service.resolution, known));
    return { draft, service: earlier.service({ ...claimed.permitted(service), facts }), known, ready };
  });
  const targets = bindTargets(services, registry, bag);
  const workloads = drafts.map((draft) => earlier.workload(finishWorkload(draft, targets.get(draft) ?? [], gateways)));
  reportUnusedEntries(workloads, services, bag);
  return {
    namespaces,
    services: services.map(({ service }) => service),
    endpoints: earlier.endpoints(new Map(services.map(({ service, ready }) => [service, ready]))),
    workloads,
    secrets: ofKind(sorted, 'Secret'),
    counts: {
      ...counts,
      podsWithoutIp: drafts.filter((draft) => draft.kind === 'Pod' && !draft.addresses.length).length,
    },
  };
}

function namespacesOf(objects: readonly kinds.TopologyObject[]): Map<string, Labels> {
  const labels = new Map<string, Labels>();
  for (const object of objects) {
    if (object.kind === 'Namespace') labels.set(object.name, object.labels);
    else if (!labels.has(object.namespace)) labels.set(object.namespace, {});
  }
  return new Map([...labels].sort(([a], [b]) => compareStrings(a, b)));
}

function finishWorkload(
  draft: WorkloadDraft,
  targets: readonly ServiceTarget[],
  gateways: readonly GatewaySelector[],
): Workload {
  const { dialed, hasSidecar, weight, sharesAddress, ...workload } = draft;
  const own = familiesOf(draft.addresses);
  const families = own.length > 0 ? own : familiesOf(targets.flatMap(({ service }) => service.addresses));
  const fallback: readonly IpFamily[] = ['ipv4'];
  const role = roleUnder(gateways, workload);
  return { ...workload, role, families: families.length > 0 ? families : fallback, targets };
}
