import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { append } from '../../lib/append.ts';
import { compareStrings, sortedBy } from '../../lib/sort.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import { familiesOf } from './address.ts';
import { joinAliases } from './aliases.ts';
import { ClaimedAddresses } from './claimed-addresses.ts';
import { EarlierTopology } from './earlier.ts';
import { reportEmptyService } from './empty-service.ts';
import { findEndpoints } from './endpoints.ts';
import { type GatewaySelector, roleUnder } from './gateway-selectors.ts';
import { commonPorts, mergeEntries } from './merged-entries.ts';
import type { IpFamily, ServiceTarget, Topology, Workload } from './model.ts';
import { nameOf } from './object-name.ts';
import { Registry } from './registry.ts';
import { LabelIndex, type Labels } from './selector.ts';
import { draftServiceEntry } from './service-entries.ts';
import { draftService, type ServiceDraft } from './services.ts';
import { type BoundService, bindTargets } from './targets.ts';
import { reportUnusedEntries } from './unused-entries.ts';
import { areSeenTogetherElsewhere } from './visibility.ts';
import {
  controllerWorkload,
  entryWorkload,
  isAlive,
  podWorkload,
  type WorkloadContext,
  type WorkloadDraft,
} from './workloads.ts';

/**
 * Who there is in the mesh: services with their endpoints, workloads with what is delivered to them. With `previous`,
 * a service or workload of which nothing has changed is the same object as before. `gateways` make gateway workloads.
 */
export function resolveTopology(
  objects: readonly kinds.TopologyObject[],
  settings: Settings,
  bag: DiagnosticBag,
  previous?: Topology,
  gateways: readonly GatewaySelector[] = [],
): Topology {
  const earlier = new EarlierTopology(previous);
  const sorted = sortedBy(
    objects,
    (object) => object.kind,
    (object) => object.namespace,
    (object) => object.name,
  );
  const namespaces = namespacesOf(sorted);
  const drafts = draftWorkloads(sorted, { trustDomain: settings.trustDomain, namespaces, bag });
  const registry = new Registry(drafts, ofKind(sorted, 'Endpoints'), ofKind(sorted, 'EndpointSlice'));
  const counts = { endpointsWithoutPod: 0, endpointsNotReady: 0 };
  const found = draftServices(sorted, settings, bag).map((draft) => {
    const told = bag.all.length;
    const endpoints = findEndpoints(draft, { registry, settings, counts, bag });
    const isTold = bag.all.length > told;
    if (endpoints.length === 0 && !isTold) reportEmptyService(draft, registry, bag);
    return { draft, service: draft.service, endpoints };
  });
  const claimed = new ClaimedAddresses(found, bag);
  const services = found.map(({ draft, service, endpoints }): BoundService => {
    return { draft, service: earlier.service({ ...claimed.permitted(service), endpoints }) };
  });
  const targets = bindTargets(services, registry, bag);
  const workloads = drafts.map((draft) => earlier.workload(finishWorkload(draft, targets.get(draft) ?? [], gateways)));
  reportUnusedEntries(workloads, services, bag);
  return {
    namespaces,
    services: services.map(({ service }) => service),
    workloads,
    secrets: ofKind(sorted, 'Secret'),
    counts: {
      ...counts,
      podsWithoutIp: drafts.filter((draft) => draft.kind === 'Pod' && !draft.addresses.length).length,
    },
  };
}

function ofKind<K extends kinds.TopologyObject['kind']>(
  objects: readonly kinds.TopologyObject[],
  kind: K,
): Extract<kinds.TopologyObject, { kind: K }>[] {
  return objects.filter((object) => object.kind === kind) as Extract<kinds.TopologyObject, { kind: K }>[];
}

function namespacesOf(objects: readonly kinds.TopologyObject[]): Map<string, Labels> {
  const labels = new Map<string, Labels>();
  for (const object of objects) {
    if (object.kind === 'Namespace') labels.set(object.name, object.labels);
    else if (!labels.has(object.namespace)) labels.set(object.namespace, {});
  }
  return new Map([...labels].sort(([a], [b]) => compareStrings(a, b)));
}

function draftWorkloads(objects: readonly kinds.TopologyObject[], context: WorkloadContext): WorkloadDraft[] {
  const pods = ofKind(objects, 'Pod');
  const made = new LabelIndex(pods);
  const controllers = objects.filter((object): object is kinds.WorkloadController => isController(object.kind));
  const drafts = [
    ...pods.filter(isAlive).map((pod) => podWorkload(pod, context)),
    ...ofKind(objects, 'WorkloadEntry').map((entry) => entryWorkload(entry, context)),
    ...controllers.filter((controller) => !hasPods(controller, made)).map((it) => controllerWorkload(it, context)),
  ];
  const sorted = sortedBy(
    drafts,
    (draft) => draft.namespace,
    (draft) => draft.name,
    (draft) => draft.kind,
  );
  return sorted.filter((draft, i) => {
    const first = sorted[i - 1];
    if (first?.namespace !== draft.namespace || first.name !== draft.name) return true;
    context.bag.report(
      'duplicate-workload',
      draft.object.document.spanOf(['metadata', 'name']),
      { kind: draft.kind, otherKind: first.kind, name: nameOf(draft) },
      { related: [{ message: 'the other one', span: first.object.document.spanOf(['metadata', 'name']) }] },
    );
    return false;
  });
}

function isController(kind: string): boolean {
  return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'DaemonSet' || kind === 'Job';
}

/** Pods carry their template's labels; a template without labels is known by the names of its pods. */
function hasPods(controller: kinds.WorkloadController, pods: LabelIndex<kinds.Pod>): boolean {
  const labels = controller.spec.template.metadata?.labels ?? {};
  const carriers = pods.select(controller.namespace, labels);
  if (Object.keys(labels).length > 0) return carriers.length > 0;
  return carriers.some((pod) => pod.name.startsWith(`${controller.name}-`));
}

/** Oldest first; one a host and namespace. */
function draftServices(
  objects: readonly kinds.TopologyObject[],
  settings: Settings,
  bag: DiagnosticBag,
): ServiceDraft[] {
  const drafts = [
    ...ofKind(objects, 'Service').map((service) => draftService(service, settings, bag)),
    ...ofKind(objects, 'ServiceEntry').flatMap((entry) => draftServiceEntry(entry, settings, bag)),
  ];
  const sorted = sortedBy(
    drafts,
    ({ service }) => service.createdAt,
    ({ service }) => `${service.name}.${service.namespace}`,
    ({ service }) => service.host,
    ({ service }) => service.kind,
    ({ service }) => service.object.name,
  );
  const byHost = new Map<string, ServiceDraft[]>();
  // What each draft that is kept has become: another ServiceEntry may add ports to it.
  const kept = new Map<ServiceDraft, ServiceDraft>();
  // The cluster's own services first: whoever may write a ServiceEntry must not take over the host of another namespace.
  for (const draft of sortedBy(sorted, ({ service }) => service.kind)) {
    const { service } = draft;
    const rivals = byHost.get(service.host) ?? [];
    const same = rivals.find((other) => other.service.namespace === service.namespace);
    if (same !== undefined) {
      const before = kept.get(same) ?? same;
      const merged = mergeEntries(before, draft);
      if (merged === undefined) reportDuplicateHost(before, draft, bag);
      else reportCommonPorts(before, draft, bag);
      kept.set(same, merged ?? before);
      continue;
    }
    const other = rivals.find((it) => areSeenTogetherElsewhere(it.service, service));
    if (other !== undefined) reportDuplicateHost(other, draft, bag);
    append(byHost, service.host, draft);
    kept.set(draft, draft);
  }
  return joinAliases(sorted.flatMap((draft) => kept.get(draft) ?? []));
}

function reportCommonPorts(first: ServiceDraft, draft: ServiceDraft, bag: DiagnosticBag): void {
  const ports = commonPorts(first, draft);
  if (ports.length > 0)
    reportSecondDefinition(first, draft, `of the other one port ${ports.join(', ')} is left out`, bag);
}

function reportDuplicateHost(first: ServiceDraft, draft: ServiceDraft, bag: DiagnosticBag): void {
  const isSame = first.service.namespace === draft.service.namespace;
  const effect = isSame ? 'the other one is left out' : 'clients outside both namespaces use that one';
  reportSecondDefinition(first, draft, effect, bag);
}

function reportSecondDefinition(first: ServiceDraft, draft: ServiceDraft, effect: string, bag: DiagnosticBag): void {
  const { host, object } = draft.service;
  const kept = first.service.object;
  bag.report(
    'duplicate-host',
    placeOfHost(draft),
    { host, object: `${object.kind} "${nameOf(object)}"`, kept: `${kept.kind} "${nameOf(kept)}"`, effect },
    { related: [{ message: 'first defined here', span: placeOfHost(first) }] },
  );
}

function placeOfHost({ service }: ServiceDraft) {
  if (service.object.kind !== 'ServiceEntry') return service.object.document.spanOf(['metadata', 'name']);
  const hosts = (service.object as kinds.ServiceEntry).spec.hosts.map((host) => host.toLowerCase());
  return service.object.document.spanOf(['spec', 'hosts', hosts.indexOf(service.host)]);
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
