import type { Settings } from '../config/settings.ts';
import { labelKeyAlias, labelValueAlias } from '../policy/alias.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import { mayHoldIn } from './root-namespace.ts';
import type { Workload } from './topology/model.ts';
import { selects } from './topology/selector.ts';
import { isVisible } from './topology/visibility.ts';

/** What tells whether an object may concern a proxy. */
export type ReachedWorkload = Pick<Workload, 'namespace' | 'name' | 'role' | 'labels'>;

type Reach = (object: JsonObject, workload: ReachedWorkload, settings: Settings) => boolean;

/**
 * Whether the configuration of a workload's proxy may depend on an object, of which nothing is sound but that it was
 * parsed. Whatever cannot be read of it, and every kind that is not listed here, reaches everybody.
 */
export function mayReach(object: JsonObject, workload: ReachedWorkload, settings: Settings): boolean {
  const reach = Object.hasOwn(reaches, String(object.kind)) ? reaches[String(object.kind)] : undefined;
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

/** Gateways alone, if it names them alone. One without hosts is a delegate: it is seen where others are that name it. */
const virtualService: Reach = (object, workload, settings) => {
  const { gateways, hosts } = specOf(object);
  if (!isNames(hosts)) return true;
  if (isNames(gateways) && !gateways.includes('mesh') && workload.role !== 'router') return false;
  return exported(object, workload, settings);
};

/** Everybody who sees it. */
const exported: Reach = (object, { namespace }) => {
  const { exportTo } = specOf(object);
  return !isNames(exportTo) || isVisible(exportTo, namespaceOf(object), namespace);
};

/** The proxy beside it. Others have one endpoint less as long as it is not known. */
const itself: Reach = (object, { namespace, name }) =>
  namespaceOf(object) === namespace && (object.metadata as JsonObject).name === name;

/** Gateways read the Secrets of their own namespace. */
const secret: Reach = (object, { namespace, role }) => role === 'router' && namespaceOf(object) === namespace;

const bySelector = selecting('selector', 'matchLabels');

/** A Service or ServiceEntry is not among them: it changes who else is reached at its addresses. */
const reaches: Readonly<Record<string, Reach>> = {
  AuthorizationPolicy: bySelector,
  RequestAuthentication: bySelector,
  PeerAuthentication: bySelector,
  ProxyConfig: bySelector,
  Sidecar: selecting('workloadSelector', 'labels'),
  Gateway: gateway,
  VirtualService: virtualService,
  DestinationRule: exported,
  Pod: itself,
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
