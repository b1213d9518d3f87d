import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { saysNoPods } from '../../policy/pod-count.ts';
import type { ServiceEntry } from '../../policy/topology-kinds.ts';
import { nearLabelHint, otherValuesHint, partlyHint } from './near-labels.ts';
import { nameOf } from './object-name.ts';
import type { Records, Registry } from './registry.ts';
import { isStream, type ServiceDraft } from './services.ts';

type Drafted = ServiceDraft['service'];

/** What there is beside the service. */
interface EmptyContext {
  readonly registry: Registry;
  readonly records: Records;
}

/** Warns of a service that leads nobody anywhere as far as the inputs say, with what to add to them; once an object. */
export function reportEmptyService(draft: ServiceDraft, context: EmptyContext, bag: DiagnosticBag): void {
  const { service } = draft;
  if (!isFirstHost(service) || !mustHaveEndpoints(draft)) return;
  const span = service.object.document.spanOf(['metadata', 'name']);
  const {
    why,
    hint,
    isUnseen = false,
    isOfCluster = false,
  }: Cause = service.kind === 'ServiceEntry' ? causeOfEntry(draft, context.registry) : causeOf(draft, context);
  const what = service.kind === 'ServiceEntry' ? `ServiceEntry "${nameOf(service.object)}"` : undefined;
  bag.report(
    'service-without-endpoints',
    span,
    { service: what ?? `service "${nameOf(service)}"`, why },
    { hint, isUnseen, isOfCluster },
  );
}

/** An entry has a draft for each of its hosts. */
function isFirstHost({ kind, host, object }: Drafted): boolean {
  return kind === 'Service' || (object as ServiceEntry).spec.hosts[0]?.toLowerCase() === host;
}

/** Where the proxy goes where the application wanted to go, it needs none; of faulty ones others tell. */
function mustHaveEndpoints({ service, selector }: ServiceDraft): boolean {
  if (!service.ports.some(isStream)) return false;
  if (service.kind === 'ServiceEntry') {
    const { endpoints = [] } = (service.object as ServiceEntry).spec;
    return endpoints.length === 0 && (service.resolution === 'client' || selector !== undefined);
  }
  return !service.isExternal;
}

const addSlices = 'add its EndpointSlices: kubectl get endpointslices -o yaml';
const addPods = 'add its pods: kubectl get pods -o yaml';
const addGroupEntries = 'add the WorkloadEntries of its machines: kubectl get workloadentries -o yaml';
const addEntries = 'add the pods and WorkloadEntries that carry its labels: kubectl get pods,workloadentries -o yaml';

interface Cause {
  readonly why: string;
  readonly hint?: string;
  readonly isUnseen?: boolean;
  readonly isOfCluster?: boolean;
}

function causeOf({ service: { namespace }, selector }: ServiceDraft, { registry, records }: EmptyContext): Cause {
  if (records.endpoints !== undefined || records.slices.length > 0)
    return { why: 'its Endpoints and EndpointSlices have no ready address' };
  if (selector === undefined) {
    return { why: 'it has no selector, and no Endpoints or EndpointSlices', hint: addSlices, isUnseen: true };
  }
  const workloads = registry.byLabels.select(namespace, selector);
  if (workloads.length === 0) {
    const near = nearLabelHint(registry.byLabels, namespace, selector);
    const isUnseen = near === undefined && registry.isUnseen(namespace);
    return {
      why: 'its selector matches no workload',
      hint:
        near ??
        partlyHint(registry.byLabels, namespace, selector) ??
        otherValuesHint(registry.byLabels, namespace, selector, addPods) ??
        addPods,
      isUnseen,
    };
  }
  const template = workloads.find(({ addresses }) => addresses.length === 0);
  if (template === undefined || workloads.some(({ addresses }) => addresses.length > 0)) {
    return { why: 'none of the workloads that its selector matches is ready and has the port' };
  }
  if (template.kind === 'WorkloadEntry')
    return { why: `WorkloadEntry "${nameOf(template)}" has no address that can be used` };
  const none = saysNoPods(template.object);
  if (none !== undefined) return { why: `${template.kind} "${nameOf(template)}" has ${none}`, isUnseen: true };
  const isGroup = template.kind === 'WorkloadGroup';
  const members = isGroup ? 'WorkloadEntries' : 'pods';
  const why = `${template.kind} "${nameOf(template)}" has no ${members} in the inputs, so their addresses are not known`;
  return { why, hint: isGroup ? addGroupEntries : addPods, isUnseen: true, isOfCluster: !isGroup };
}

function causeOfEntry({ service: { namespace }, selector }: ServiceDraft, registry: Registry): Cause {
  if (selector === undefined) {
    const hint = 'write the addresses of its servers into "endpoints", or have its hosts resolved: resolution: DNS';
    return { why: 'its resolution is STATIC, and "endpoints" is missing', hint };
  }
  const workloads = registry.byLabels.select(namespace, selector);
  if (workloads.length === 0) {
    const near = nearLabelHint(registry.byLabels, namespace, selector);
    const isUnseen = near === undefined && registry.isUnseen(namespace);
    return {
      why: 'its workloadSelector matches no workload',
      hint: near ?? otherValuesHint(registry.byLabels, namespace, selector, addEntries) ?? addEntries,
      isUnseen,
    };
  }
  return { why: 'none of the workloads that its workloadSelector matches is ready, has the port and may serve it' };
}
