import type { Settings } from '../config/settings.ts';
import { labelKeyAlias, labelValueAlias } from '../policy/alias.ts';
import { standardGatewayKind, statedKind } from '../policy/gateway-api.ts';
import { isDnsLabel } from '../schema/names.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import { type EgressListener, importsFrom } from './merge/egress.ts';
import { mayHoldIn } from './root-namespace.ts';
import type { Workload } from './topology/model.ts';
import { selects } from './topology/selector.ts';
import { isVisible } from './topology/visibility.ts';

/** What tells whether an object may concern a proxy. */
export interface ReachedWorkload extends Pick<Workload, 'namespace' | 'name' | 'role' | 'labels'> {
  /** What its Sidecars import; absent: everything, or nobody knows. */
  readonly egress?: readonly EgressListener[] | undefined;
}

type Reach = (object: JsonObject, workload: ReachedWorkload, settings: Settings) => boolean;

/**
 * Whether the configuration of a workload's proxy may depend on an object, of which nothing is sound but that it was
 * parsed. Whatever cannot be read of it, and every kind that is not listed here, reaches everybody.
 */
export function mayReach(object: JsonObject, workload: ReachedWorkload, settings: Settings): boolean {
  const kind = statedKind(object);
  const reach = Object.hasOwn(reaches, kind) ? reaches[kind] : undefined;
  return reach === undefined || reach(object, workload, settings);
}

/** Workloads of its namespace, or of all where that may be the root namespace, that it selects. */
function selecting(selectorField: string, labelsField: string): Reach {
  return (object, workload, settings) => {
    if (!mayHoldIn(workload.namespace, namespaceOf(object), settings)) return false;
    const wanted = selectedLabels(object, selectorField, labelsField);
    return wanted === undefined || selects(wanted, workload.labels);
  };
}

/** The labels of workloads that an object selects, where it does so beyond doubt; undefined: it may select any. */
export function selectedLabels(
  object: JsonObject,
  selectorField = 'selector',
  labelsField = 'matchLabels',
): Readonly<Record<string, string>> | undefined {
  const selector = specOf(object)[selectorField];
  return isRecord(selector) && Object.keys(selector).length === 1 ? labelsOf(selector[labelsField]) : undefined;
}

/** Gateways, wherever they are, that it selects. */
const gateway: Reach = (object, { role, labels }) => {
  if (role !== 'router') return false;
  const wanted = labelsOf(specOf(object).selector);
  return wanted === undefined || selects(wanted, labels);
};

/** Whoever may serve it or have policies for it: workloads of its namespace, unless it may name a Service of another one. */
const standardGateway: Reach = (object, { namespace }) => {
  const isPlain = Object.keys(specOf(object)).every((field) => ['gatewayClassName', 'listeners'].includes(field));
  return !isPlain || namespaceOf(object) === namespace;
};

/** Gateways, wherever they are: it may be attached to any of them. */
const routed: Reach = (_, { role }) => role === 'router';

/** Gateways alone, if it names them alone. One without hosts is a delegate: it is seen where others are that name it. */
const virtualService: Reach = (object, workload, settings) => {
  const { gateways, hosts } = specOf(object);
  if (!isNames(hosts)) return true;
  if (isNames(gateways) && !gateways.includes('mesh') && workload.role !== 'router') return false;
  return exported(object, workload, settings) && isImported(object, workload);
};

/** Everybody who sees it. */
const exported: Reach = (object, { namespace }) => {
  const { exportTo } = specOf(object);
  return !isNames(exportTo) || isVisible(exportTo, namespaceOf(object), namespace);
};

/** Workloads of its namespace, to which it may deliver, and everybody who sees and imports it. */
const service: Reach = (object, workload, settings) => {
  const owner = namespaceOf(object);
  if (!isDnsLabel(owner) || owner === workload.namespace) return true;
  return exported(object, workload, settings) && isImported(object, workload);
};

/**
 * Whether a Sidecar imports anything of its namespace. The services that imported routes lead to are in the scope of a proxy
 * too; where one of those is missing, the routes answer 503.
 */
function isImported(object: JsonObject, { egress }: ReachedWorkload): boolean {
  if (egress === undefined) return true;
  const owner = namespaceOf(object);
  return !isDnsLabel(owner) || egress.some((listener) => importsFrom(listener, owner));
}

/** The proxy beside it. Others have one endpoint less as long as it is not known. */
const itself: Reach = (object, { namespace, name }) =>
  namespaceOf(object) === namespace && (object.metadata as JsonObject).name === name;

/** Gateways read the Secrets of their own namespace. */
const secret: Reach = (object, { namespace, role }) => role === 'router' && namespaceOf(object) === namespace;

const bySelector = selecting('selector', 'matchLabels');

const reaches: Readonly<Record<string, Reach>> = {
  AuthorizationPolicy: bySelector,
  RequestAuthentication: bySelector,
  PeerAuthentication: bySelector,
  ProxyConfig: bySelector,
  Sidecar: selecting('workloadSelector', 'labels'),
  Gateway: gateway,
  [standardGatewayKind]: standardGateway,
  HTTPRoute: routed,
  GRPCRoute: routed,
  TLSRoute: routed,
  ReferenceGrant: routed,
  VirtualService: virtualService,
  DestinationRule: exported,
  Service: service,
  ServiceEntry: service,
  Pod: itself,
  WorkloadEntry: itself,
  Secret: secret,
};

/** Kinds whose objects have a proxy beside them, or stand for those that have. */
export function isWorkloadKind(kind: string): boolean {
  return workloadKinds.has(kind);
}

const workloadKinds: ReadonlySet<string> = new Set([
  ...[
    'Pod',
    'WorkloadEntry',
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'ReplicaSet',
    'Job',
    'CronJob',
    'WorkloadGroup',
  ],
]);

function namespaceOf({ metadata }: JsonObject): string {
  const namespace = isRecord(metadata) ? metadata.namespace : undefined;
  return typeof namespace === 'string' && namespace !== '' ? namespace : 'default';
}

function specOf({ spec }: JsonObject): JsonObject {
  return isRecord(spec) ? spec : {};
}

/** Undefined unless they are labels beyond doubt, of which none has another name here. */
function labelsOf(value: JsonValue | undefined): Readonly<Record<string, string>> | undefined {
  if (!isRecord(value)) return undefined;
  const labels = Object.entries(value);
  const areClear = labels.every(
    ([key, text]) => typeof text === 'string' && labelKeyAlias(key) === key && labelValueAlias(key, text) === text,
  );
  return areClear && labels.length > 0 ? (value as Readonly<Record<string, string>>) : undefined;
}

function isNames(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '');
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
