import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonPath, SourceSpan } from '../diagnostics/span.ts';
import { lookup } from '../lib/lookup.ts';
import { containerAlias, groupAlias, labelKeyAlias, labelValueAlias, tlsModeAlias } from '../policy/alias.ts';
import type { JsonObject, JsonValue, PolicyDocument } from '../source/document.ts';

/**
 * The document with our names in the place of their aliases; the same document when it has none. Paths into the result
 * still lead to what the user wrote.
 */
export function resolveAliases(document: PolicyDocument, bag: DiagnosticBag): PolicyDocument {
  const places = lookup(placesByKind, String(document.value.kind)) ?? [];
  return resolveAt([...commonPlaces, ...places], document, bag);
}

/** The same for an object of a kind that is not read, whose pod template is at `template`; nothing is reported of it. */
export function resolveTemplateAliases(document: PolicyDocument, template: readonly string[]): PolicyDocument {
  return resolveAt([...commonPlaces, ...templatePlaces(template.join('.'))], document, new DiagnosticBag());
}

function resolveAt(places: readonly Place[], document: PolicyDocument, bag: DiagnosticBag): PolicyDocument {
  let value: JsonValue = document.value;
  for (const place of places) {
    value = rewrite(value, place.path, 0, (found, path) => place.resolve(found, { document, bag, path }), []);
  }
  return value === document.value ? document : new AliasedDocument(document, value as JsonObject);
}

/** `apiVersion` as the user wrote it, before its group got our name; empty when it is no text. */
export function writtenApiVersion(document: PolicyDocument): string {
  const { apiVersion } = document instanceof AliasedDocument ? document.written.value : document.value;
  return typeof apiVersion === 'string' ? apiVersion : '';
}

/** What stands at a path of the document as the user wrote it; of the keys before the last one none may be an alias. */
export function writtenIn(document: PolicyDocument, path: JsonPath): JsonObject | undefined {
  let at: JsonValue | undefined = document instanceof AliasedDocument ? document.written.value : document.value;
  for (const step of path) at = typeof at === 'object' && at !== null ? (at as JsonObject)[step] : undefined;
  return typeof at === 'object' && at !== null ? (at as JsonObject) : undefined;
}

interface Context {
  readonly document: PolicyDocument;
  readonly bag: DiagnosticBag;
  readonly path: JsonPath;
}

/** Where aliases may stand; `*` is every key or index. */
interface Place {
  readonly path: readonly string[];
  resolve(value: JsonValue, context: Context): JsonValue;
}

const labels = (path: string): Place => ({ path: path.split('.'), resolve: labelMap });
const text = (path: string, alias: (text: string) => string): Place => ({
  path: path.split('.'),
  resolve: (value) => (typeof value === 'string' ? alias(value) : value),
});

const commonPlaces: readonly Place[] = [
  text('apiVersion', apiVersionAlias),
  labels('metadata.labels'),
  labels('metadata.annotations'),
];
const podPlaces = (spec: string): readonly Place[] => [
  text(`${spec}.containers.*.name`, containerAlias),
  text(`${spec}.initContainers.*.name`, containerAlias),
];
const templatePlaces = (template: string): readonly Place[] => [
  ...podPlaces(`${template}.spec`),
  labels(`${template}.metadata.labels`),
  labels(`${template}.metadata.annotations`),
];
const controllerPlaces = templatePlaces('spec.template');
const selectorPlaces = [labels('spec.selector.matchLabels')];
const trafficPlaces = (policy: string): readonly Place[] => [
  text(`${policy}.tls.mode`, tlsModeAlias),
  text(`${policy}.portLevelSettings.*.tls.mode`, tlsModeAlias),
  text(`${policy}.loadBalancer.localityLbSetting.failoverPriority.*`, labelKeyAlias),
  text(`${policy}.portLevelSettings.*.loadBalancer.localityLbSetting.failoverPriority.*`, labelKeyAlias),
];

const placesByKind: Readonly<Record<string, readonly Place[]>> = {
  PeerAuthentication: selectorPlaces,
  RequestAuthentication: selectorPlaces,
  AuthorizationPolicy: selectorPlaces,
  ProxyConfig: selectorPlaces,
  DestinationRule: [
    ...trafficPlaces('spec.trafficPolicy'),
    ...trafficPlaces('spec.subsets.*.trafficPolicy'),
    labels('spec.subsets.*.labels'),
    labels('spec.workloadSelector.matchLabels'),
  ],
  Gateway: [labels('spec.selector'), text('spec.servers.*.tls.mode', tlsModeAlias)],
  VirtualService: [
    labels('spec.http.*.match.*.sourceLabels'),
    labels('spec.tls.*.match.*.sourceLabels'),
    labels('spec.tcp.*.match.*.sourceLabels'),
  ],
  Sidecar: [labels('spec.workloadSelector.labels')],
  Service: [labels('spec.selector')],
  Pod: podPlaces('spec'),
  Deployment: controllerPlaces,
  StatefulSet: controllerPlaces,
  DaemonSet: controllerPlaces,
  Job: controllerPlaces,
  WorkloadEntry: [labels('spec.labels')],
  WorkloadGroup: [labels('spec.metadata.labels'), labels('spec.metadata.annotations'), labels('spec.template.labels')],
  ServiceEntry: [labels('spec.endpoints.*.labels'), labels('spec.workloadSelector.labels')],
};

/** Copies only along the paths that change. */
function rewrite(
  value: JsonValue,
  path: readonly string[],
  depth: number,
  resolve: (value: JsonValue, path: JsonPath) => JsonValue,
  at: JsonPath,
): JsonValue {
  const step = path[depth];
  if (step === undefined) return resolve(value, at);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (step !== '*') return value;
    let copy: JsonValue[] | undefined;
    for (const [i, item] of (value as readonly JsonValue[]).entries()) {
      const changed = rewrite(item, path, depth + 1, resolve, [...at, i]);
      if (changed === item) continue;
      copy ??= [...value];
      copy[i] = changed;
    }
    return copy ?? value;
  }
  if (!Object.hasOwn(value, step)) return value;
  const found = (value as JsonObject)[step] as JsonValue;
  const changed = rewrite(found, path, depth + 1, resolve, [...at, step]);
  return changed === found ? value : { ...(value as JsonObject), [step]: changed };
}

function labelMap(value: JsonValue, { document, bag, path }: Context): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const written = value as JsonObject;
  const isPlain = ([key, text]: [string, JsonValue]): boolean =>
    labelKeyAlias(key) === key && (typeof text !== 'string' || labelValueAlias(key, text) === text);
  if (Object.entries(written).every(isPlain)) return value;

  const resolved = new Map<string, JsonValue>();
  const writtenAs = new Map<string, string>();
  let hasConflict = false;
  for (const [key, text] of Object.entries(written)) {
    const name = labelKeyAlias(key);
    const ours = typeof text === 'string' ? labelValueAlias(name, text) : text;
    const first = writtenAs.get(name);
    if (first !== undefined && resolved.get(name) !== ours && !hasConflict) {
      hasConflict = true;
      const holes = { first, second: key, firstValue: String(written[first]), secondValue: String(text) };
      bag.report('conflicting-alias', document.spanOf([...path, key], 'key'), holes);
    }
    writtenAs.set(name, key);
    resolved.set(name, ours);
  }
  return Object.fromEntries(resolved);
}

function apiVersionAlias(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? apiVersion : groupAlias(apiVersion.slice(0, slash)) + apiVersion.slice(slash);
}

class AliasedDocument implements PolicyDocument {
  readonly file: string;
  readonly isFound: boolean;
  readonly start: SourceSpan;
  readonly value: JsonObject;
  readonly written: PolicyDocument;

  constructor(written: PolicyDocument, value: JsonObject) {
    this.file = written.file;
    this.isFound = written.isFound === true;
    this.start = written.start;
    this.value = value;
    this.written = written;
  }

  /** A key that the user wrote by another name is looked for by that name. */
  spanOf(path: JsonPath, part?: 'key' | 'value'): SourceSpan {
    let at: JsonValue | undefined = this.written.value;
    const writtenPath = path.map((step) => {
      const holder = at;
      if (typeof holder !== 'object' || holder === null || Array.isArray(holder)) {
        at = Array.isArray(holder) ? holder[Number(step)] : undefined;
        return step;
      }
      const keys = holder as JsonObject;
      const name = Object.hasOwn(keys, step) ? step : Object.keys(keys).find((key) => labelKeyAlias(key) === step);
      at = name === undefined ? undefined : keys[name];
      return name ?? step;
    });
    return this.written.spanOf(writtenPath, part);
  }
}
