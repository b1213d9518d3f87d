import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { compareStrings } from '../../lib/sort.ts';
import { canonicalAddress, familiesOf, familyOf, isFixed } from './address.ts';
import type { Endpoint, ServicePort } from './model.ts';
import { nameOf } from './object-name.ts';
import { withoutRefused } from './own-sockets.ts';
import { type EndpointRecord, recordsOf } from './recorded-endpoints.ts';
import { containerPort, type Records, type Registry } from './registry.ts';
import { isStream, type ServiceDraft } from './services.ts';
import { catalogAnnotation } from './workload-groups.ts';
import type { WorkloadDraft } from './workloads.ts';

/** Figures of the specification's gauges, counted while endpoints are found. */
export interface EndpointCounts {
  endpointsWithoutPod: number;
  endpointsNotReady: number;
}

export interface EndpointContext {
  readonly registry: Registry;
  readonly records: Records;
  /** The workloads that the service's selector selects. */
  readonly selected: readonly WorkloadDraft[];
  readonly settings: Settings;
  readonly counts: EndpointCounts;
  readonly bag: DiagnosticBag;
}

/** Both lists are sorted by port number, address, endpoint port. */
export interface FoundEndpoints {
  readonly ready: readonly Endpoint[];
  /** Ready, or of a workload that is known. */
  readonly known: readonly Endpoint[];
}

interface Found {
  readonly endpoint: Endpoint;
  readonly isReady: boolean;
}

/** Endpoints of a service: written down in its own object, in Endpoints or EndpointSlices, else selected by labels. */
export function findEndpoints(draft: ServiceDraft, context: EndpointContext): FoundEndpoints {
  const { service } = draft;
  const own = draft.ownEndpoints.map((endpoint) => ownEndpoint(draft, endpoint, context.registry));
  let found: Found[];
  if (service.kind === 'ServiceEntry') found = [...own, ...selectedEndpoints(draft, context)];
  else if (service.isExternal) found = own;
  else found = recordedEndpoints(draft, context) ?? selectedEndpoints(draft, context);
  const kept = withoutRefused(service, sortedUnique(found), context.settings, context.bag);
  const ready = kept.filter(({ isReady }) => isReady).map(({ endpoint }) => endpoint);
  if (ready.length === kept.length) return { known: ready, ready };
  // What nobody vouches for yet must not say that clients speak without TLS.
  const known = kept.filter(({ endpoint, isReady }) => isReady || endpoint.workload !== undefined);
  return { known: known.map(({ endpoint }) => endpoint), ready };
}

/**
 * An endpoint of a service. For a service of a catalog, the WorkloadEntry of the instance has its identity and its
 * health.
 */
function ownEndpoint({ service }: ServiceDraft, endpoint: Endpoint, registry: Registry): Found {
  const name = service.object.annotations[catalogAnnotation];
  const machine = name === undefined ? undefined : registry.ofService(service.namespace, endpoint.address, name);
  if (machine === undefined) return { endpoint, isReady: true };
  const { identity, hasSidecar, isReady } = machine;
  const workload = { namespace: machine.namespace, name: machine.name };
  return { endpoint: { ...endpoint, identity, hasSidecar, workload }, isReady };
}

/** From the cluster's own records; undefined when there are none for the service. */
function recordedEndpoints(draft: ServiceDraft, context: EndpointContext): Found[] | undefined {
  const records = recordsOf(context.records, context.settings, context.bag);
  return records?.flatMap((record) => deliver(draft, record, context));
}

/** Records meet the service's ports by the ports' names. */
function deliver(draft: ServiceDraft, record: EndpointRecord, context: EndpointContext): Found[] {
  const { object, ports, addresses } = record;
  const pairs = draft.service.ports.filter(isStream).flatMap((servicePort) => {
    const match = ports.find(
      ({ name, protocol }) => (name ?? '') === servicePort.name && (protocol ?? 'TCP') === 'TCP',
    );
    return match?.port === undefined ? [] : [{ servicePort, port: match.port }];
  });
  return addresses.flatMap(({ text, isReady, reference, zone, path }) => {
    const address = canonicalAddress(text);
    if (address === undefined) {
      context.bag.report('invalid-address', object.document.spanOf(path), { value: text });
      return [];
    }
    if (!isReady) context.counts.endpointsNotReady++;
    const workload = context.registry.find(draft.service.namespace, address, reference);
    if (workload !== undefined && 'contradiction' in workload) {
      if (isReady) {
        context.counts.endpointsWithoutPod++;
        const holes = { kind: object.kind, name: nameOf(object), address, reason: workload.contradiction };
        context.bag.report('doubtful-endpoint', object.document.spanOf(path), holes);
      }
      return [];
    }
    if (isReady && workload === undefined && draft.selector !== undefined) {
      context.counts.endpointsWithoutPod++;
    }
    const locality = workload?.locality ?? (zone === undefined ? undefined : `/${zone}`);
    return pairs.map(({ servicePort, port }): Found => {
      return { endpoint: { ...endpointAt(workload, servicePort, address, port), locality }, isReady };
    });
  });
}

function selectedEndpoints(draft: ServiceDraft, context: EndpointContext): Found[] {
  const { service, selector } = draft;
  if (selector === undefined) return [];
  return context.selected.flatMap((workload) => {
    if (!mayServe(draft, workload)) return [];
    const addresses = dialedFor(draft, workload, context);
    const isReady = workload.isReady || draft.publishesUnready;
    if (addresses.length > 0 && !isReady) context.counts.endpointsNotReady++;
    return addresses.flatMap((address) =>
      service.ports.filter(isStream).flatMap((servicePort) => {
        const port = containerPort(workload, servicePort, draft.targetPorts.get(servicePort.number));
        return port === undefined ? [] : [{ endpoint: endpointAt(workload, servicePort, address, port), isReady }];
      }),
    );
  });
}

/** A ServiceEntry selects pods only where the setting allows it. */
export function mayServe(draft: ServiceDraft, workload: WorkloadDraft): boolean {
  return draft.selectsPods || workload.kind === 'WorkloadEntry';
}

/** One address a family of the service; all of them for a headless service, which has no family of its own. */
function dialedFor(draft: ServiceDraft, workload: WorkloadDraft, context: EndpointContext): readonly string[] {
  const { service } = draft;
  if (workload.kind === 'WorkloadEntry') {
    if (service.resolution === 'dns') return workload.dialed;
    for (const address of workload.dialed.filter((address) => !isFixed(address))) {
      const span = workload.object.document.spanOf(['spec', 'address']);
      context.bag.report('invalid-address', span, { value: address });
    }
    return workload.dialed.filter(isFixed);
  }
  if (service.isHeadless) return workload.addresses;
  const families = familiesOf(service.addresses);
  if (families.length === 0) return workload.addresses.slice(0, 1);
  return families.flatMap((family) => workload.addresses.find((address) => familyOf(address) === family) ?? []);
}

function endpointAt(
  workload: WorkloadDraft | undefined,
  servicePort: ServicePort,
  address: string,
  port: number,
): Endpoint {
  return {
    servicePort: servicePort.number,
    address,
    port: address.startsWith('unix://') ? 0 : port,
    labels: workload?.labels ?? {},
    identity: workload?.identity,
    workload: workload === undefined ? undefined : { namespace: workload.namespace, name: workload.name },
    hasSidecar: workload?.hasSidecar ?? false,
    weight: workload?.weight,
    locality: workload?.locality,
  };
}

/** One that is said to be ready and said not to be is ready. */
function sortedUnique(found: Found[]): Found[] {
  found.sort((a, b) => compareEndpoints(a.endpoint, b.endpoint) || Number(b.isReady) - Number(a.isReady));
  return found.filter(({ endpoint }, i) => {
    const before = found[i - 1];
    return before === undefined || compareEndpoints(before.endpoint, endpoint) !== 0;
  });
}

function compareEndpoints(a: Endpoint, b: Endpoint): number {
  return a.servicePort - b.servicePort || compareStrings(a.address, b.address) || a.port - b.port;
}
