import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { nameOf } from './object-name.ts';
import type { Registry } from './registry.ts';
import { isStream, type ServiceDraft } from './services.ts';

/** Warns of a Service of the cluster that nobody serves as far as the inputs say, with what to add to them. */
export function reportEmptyService(draft: ServiceDraft, registry: Registry, bag: DiagnosticBag): void {
  const { service } = draft;
  if (service.kind === 'ServiceEntry' || service.isExternal || !service.ports.some(isStream)) return;
  const span = service.object.document.spanOf(['metadata', 'name']);
  const { why, hint } = causeOf(draft, registry);
  bag.report('service-without-endpoints', span, { service: nameOf(service), why }, { hint });
}

const addSlices = 'add its EndpointSlices: kubectl get endpointslices -o yaml';
const addPods = 'add its pods: kubectl get pods -o yaml';

function causeOf(
  { service: { namespace, name }, selector }: ServiceDraft,
  registry: Registry,
): { readonly why: string; readonly hint?: string } {
  const isRecorded = registry.endpointsOf(namespace, name) ?? registry.slicesOf(namespace, name);
  if (isRecorded !== undefined) return { why: 'its Endpoints and EndpointSlices name no server that is ready' };
  if (selector === undefined) return { why: 'it has no selector, and no Endpoints or EndpointSlices', hint: addSlices };
  const workloads = registry.byLabels.select(namespace, selector);
  if (workloads.length === 0) return { why: 'its selector matches no workload', hint: addPods };
  const template = workloads.find(({ addresses }) => addresses.length === 0);
  if (template === undefined || workloads.some(({ addresses }) => addresses.length > 0)) {
    return { why: 'no workload that its selector matches is ready and has the port' };
  }
  return { why: `${template.kind} "${nameOf(template)}" stands for pods whose addresses are not known`, hint: addPods };
}
