import type { InjectionChoice } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { MeshObject } from '../../policy/object.ts';
import type {
  Pod,
  PodSpec,
  TemplateHolder,
  WorkloadEntry,
  WorkloadEntrySpec,
  WorkloadGroup,
} from '../../policy/topology-kinds.ts';
import { canonicalAddress } from './address.ts';
import { annotationPath } from './annotation-path.ts';
import { checkCapture } from './capture.ts';
import { dialedAddress, ipAddress } from './dialed-address.ts';
import { injectKey } from './injection.ts';
import { localityOfLabels } from './locality.ts';
import type { SpiffeId, Workload, WorkloadRole } from './model.ts';
import { nameOf } from './object-name.ts';
import { acceptsMeshTls, isProxyAlone, roleOfEntry, roleOfGroup, roleOfPod } from './role.ts';
import type { Labels } from './selector.ts';
import { catalogAnnotation, labelsOfGroup, specOfMember } from './workload-groups.ts';

/** A workload before it is known which services deliver to it. */
export interface WorkloadDraft extends Omit<Workload, 'families' | 'targets'> {
  /** What clients dial: its addresses; for a WorkloadEntry also a host name or `unix://` path. */
  readonly dialed: readonly string[];
  readonly hasSidecar: boolean;
  readonly weight: number | undefined;
  /** Pods on the node's network share its address: nothing is found by it. */
  readonly sharesAddress: boolean;
  /** It is taken for injected, since its namespace is not in the input: a Gateway that selects it says otherwise. */
  readonly isPresumed?: boolean;
}

export interface WorkloadContext {
  readonly trustDomain: string;
  readonly injection: InjectionChoice;
  /** Labels of the namespaces that the inputs declare. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** Labels of all others, for what the cluster has yet to make: of a pod that runs its containers say it all. */
  readonly presumedLabels: Labels;
  readonly bag: DiagnosticBag;
}

/** SPIFFE identity of a service account; an empty name is the namespace's `default`. */
export function identityOf(trustDomain: string, namespace: string, serviceAccount: string): SpiffeId {
  return `spiffe://${trustDomain}/ns/${namespace}/sa/${serviceAccount || 'default'}`;
}

/** As the API server fills the newer name of the field in from the older one. */
function accountOf({ serviceAccountName, serviceAccount }: PodSpec): string {
  return serviceAccountName || serviceAccount || 'default';
}

/** False for pods that have run to their end: they have given their address back. */
export function isAlive(pod: Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}

/** `localityOfNode` counts where the labels of the pod name none. */
export function podWorkload(pod: Pod, localityOfNode: string | undefined, context: WorkloadContext): WorkloadDraft {
  const draft = templateWorkload(pod, pod.labels, pod.annotations, pod.spec, context);
  const texts = pod.status?.podIPs?.map(({ ip }) => ip) ?? (pod.status?.podIP ? [pod.status.podIP] : []);
  const field = pod.status?.podIPs === undefined ? ['status', 'podIP'] : ['status', 'podIPs'];
  const addresses = texts.flatMap((text) => ipAddress(pod, field, text, context.bag));
  return {
    ...draft,
    addresses,
    dialed: addresses,
    isReady: isPodReady(pod),
    locality: draft.locality ?? localityOfNode,
    sharesAddress: pod.spec.hostNetwork === true,
  };
}

/** Stands for the pods that the controller will make; it has no address. */
export function controllerWorkload(controller: TemplateHolder, context: WorkloadContext): WorkloadDraft {
  const { metadata, spec } = controller.spec.template;
  return templateWorkload(controller, metadata?.labels ?? {}, metadata?.annotations ?? {}, spec, context);
}

/** A machine by its entry; what the entry leaves out is its group's. */
export function entryWorkload(
  entry: WorkloadEntry,
  group: WorkloadGroup | undefined,
  context: WorkloadContext,
): WorkloadDraft {
  const spec = specOfMember(entry, group);
  const ofGroup = group && labelsOfGroup(group);
  const own = { ...entry.labels, ...entry.spec.labels };
  // Whoever registers an instance does not decide which policies are for it.
  const isRegistered = entry.annotations[catalogAnnotation] !== undefined;
  const labels = isRegistered ? { ...own, ...ofGroup } : { ...ofGroup, ...own };
  // Where the input may leave out who is injected: without a sidecar an account would be of no use.
  const isPresumed = Object.keys(context.presumedLabels).length > 0 && spec.serviceAccount !== undefined;
  const role = group !== undefined || isPresumed ? roleOfGroup(labels) : roleOfEntry(labels);
  const dialed = spec.address === undefined ? [] : dialedAddress(entry, ['spec', 'address'], spec.address, context.bag);
  const inherited = group?.spec.metadata?.annotations;
  const annotations = inherited === undefined ? entry.annotations : { ...inherited, ...entry.annotations };
  return {
    ...machineWorkload(entry, { labels, annotations, spec, role }, context),
    addresses: dialed.filter((address) => canonicalAddress(address) !== undefined),
    dialed,
    isReady: isEntryHealthy(entry, annotations),
  };
}

/** Stands for the machines of the group that no entry declares; it has no address. */
export function groupWorkload(group: WorkloadGroup, context: WorkloadContext): WorkloadDraft {
  const labels = labelsOfGroup(group);
  const annotations = group.spec.metadata?.annotations ?? {};
  const facts = { labels, annotations, spec: group.spec.template, role: roleOfGroup(labels) };
  return { ...machineWorkload(group, facts, context), addresses: [], dialed: [], isReady: true };
}

interface MachineFacts {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: WorkloadEntrySpec;
  readonly role: WorkloadRole;
}

function machineWorkload(
  object: WorkloadEntry | WorkloadGroup,
  { labels, annotations, spec, role }: MachineFacts,
  { trustDomain, bag }: WorkloadContext,
): Omit<WorkloadDraft, 'addresses' | 'dialed' | 'isReady'> {
  return {
    namespace: object.namespace,
    name: object.name,
    kind: object.kind,
    labels,
    annotations,
    serviceAccount: spec.serviceAccount || 'default',
    identity: identityOf(trustDomain, object.namespace, spec.serviceAccount ?? ''),
    role,
    hasSidecar: acceptsMeshTls(labels, role),
    namedPorts: spec.ports ?? {},
    interceptionMode: interceptionMode(object, annotations, bag),
    locality: spec.locality || localityOfLabels(labels),
    weight: spec.weight,
    sharesAddress: false,
    object,
  };
}

/** Asks that an entry counts only while its condition Healthy is True; Istio writes it to entries of groups with a probe. */
export const healthAnnotation = 'proxy.mesh.io/health-checks-enabled';

function isEntryHealthy({ status }: WorkloadEntry, annotations: Labels): boolean {
  // The spellings of true that Istio takes.
  if (!/^(?:1|[tT]|true|True|TRUE)$/.test(annotations[healthAnnotation] ?? '')) return true;
  return status?.conditions?.find(({ type }) => type === 'Healthy')?.status === 'True';
}

function templateWorkload(
  object: Pod | TemplateHolder,
  labels: Labels,
  annotations: Labels,
  spec: PodSpec,
  context: WorkloadContext,
): WorkloadDraft {
  const runs = 'status' in object && object.status !== undefined;
  const declared = context.namespaces.get(object.namespace);
  const namespaceLabels = declared ?? (runs ? {} : context.presumedLabels);
  const facts = { namespace: object.namespace, labels, annotations, spec, namespaceLabels };
  const isPresumed =
    declared === undefined && roleOfPod({ ...facts, namespaceLabels: {} }, context.injection) === 'none';
  const injected = roleOfPod(facts, context.injection);
  const role = isPresumed && injected === 'sidecar' && isProxyAlone(spec) ? 'router' : injected;
  if (role === 'sidecar') checkCapture(object, annotations, context.bag);
  else if (role === 'none') warnOfAnnotation(object, { labels, annotations }, spec, context.bag);
  return {
    namespace: object.namespace,
    name: object.name,
    kind: object.kind,
    labels,
    annotations,
    serviceAccount: accountOf(spec),
    identity: identityOf(context.trustDomain, object.namespace, accountOf(spec)),
    role,
    hasSidecar: acceptsMeshTls(labels, role),
    addresses: [],
    dialed: [],
    isReady: true,
    namedPorts: namedPorts(spec),
    interceptionMode: interceptionMode(object, annotations, context.bag),
    locality: localityOfLabels(labels),
    weight: undefined,
    sharesAddress: false,
    ...(isPresumed && { isPresumed }),
    object,
  };
}

/** Without a label nothing is injected: what the annotation asks for would be taken for granted, and is not there. A label of the pod decides by itself. */
function warnOfAnnotation(
  object: MeshObject<string>,
  { labels, annotations }: Pick<Workload, 'labels' | 'annotations'>,
  { hostNetwork }: PodSpec,
  bag: DiagnosticBag,
): void {
  if (annotations[injectKey] !== 'true' || labels[injectKey] !== undefined) return;
  const span = object.document.spanOf(annotationPath(object, injectKey), 'key');
  const holes = { kind: object.kind, name: nameOf(object) };
  if (hostNetwork === true) {
    const why = 'no proxy is injected into pods with the network of their node (hostNetwork)';
    bag.report('injection-by-annotation', span, { ...holes, why }, { hint: 'remove hostNetwork, or the annotation' });
  } else {
    bag.report('injection-by-annotation', span, { ...holes, why: 'the annotation alone does not cause injection' });
  }
}

function namedPorts(spec: PodSpec): Record<string, number> {
  const ports: Record<string, number> = {};
  for (const { name, containerPort, protocol } of (spec.containers ?? []).flatMap(
    (container) => container.ports ?? [],
  )) {
    if (name && (protocol ?? 'TCP') === 'TCP' && !Object.hasOwn(ports, name)) ports[name] = containerPort;
  }
  return ports;
}

/** A pod without status comes from a manifest, not from a cluster: it counts as ready. */
function isPodReady(pod: Pod): boolean {
  if (pod.status?.phase === 'Pending') return false;
  return pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'False';
}

const modeAnnotation = 'sidecar.mesh.io/interceptionMode';

function interceptionMode(
  object: MeshObject<string>,
  annotations: Labels,
  bag: DiagnosticBag,
): Workload['interceptionMode'] {
  const value = annotations[modeAnnotation];
  if (value === undefined || value === 'REDIRECT' || value === 'TPROXY') return value;
  const span = object.document.spanOf(annotationPath(object, modeAnnotation));
  bag.report('unsupported-interception-mode', span, { value });
  return undefined;
}
