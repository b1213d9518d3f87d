import type { JsonPath, SourceSpan } from '../diagnostics/span.ts';
import { byOurKeys, labelValueAlias } from '../policy/alias.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';

/** A container of a pod: fields that injection reads; all others are kept as they are. */
export interface Container extends JsonObject {
  readonly name: string;
}

/** A pod, or the template of one, as JSON: `metadata` and `spec`, whose shape `checkShape` has checked. */
export interface PodObject extends JsonObject {
  readonly spec: JsonObject;
}

/** Where a pod runs, as whoever calls the webhook knows it. */
export interface PodLocation {
  /** Name of the cluster, in place of that of the mesh configuration. */
  readonly cluster?: string | undefined;
  readonly network?: string | undefined;
}

/** A pod that is to be injected, and what the pod itself does not say. */
export interface InjectionTarget extends PodLocation {
  readonly pod: PodObject;
  /** Where it is created: the metadata of a controller's pods names no namespace yet. */
  readonly namespace: string;
  readonly namespaceLabels: Texts;
  /** The controller that the pod is a template of; absent: the pod's own `ownerReferences` say. */
  readonly controller?: Controller | undefined;
  /** Where a field of the pod stands in a file; absent: it came from a server. */
  readonly placeOf?: PlaceOf | undefined;
}

export type PlaceOf = (path: JsonPath) => SourceSpan | undefined;

/** An object that makes pods. */
export interface Controller {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export type Texts = Readonly<Record<string, string>>;

/** Labels of a pod by our names for them. */
export function labelsOf(pod: PodObject): Texts {
  return ourLabels(textsAt(pod.metadata, 'labels'));
}

/** Labels by our names for their keys and values. */
export function ourLabels(labels: Texts): Texts {
  const entries = Object.entries(byOurKeys(labels));
  return Object.fromEntries(entries.map(([key, value]) => [key, labelValueAlias(key, value)]));
}

/** Annotations of a pod by our names for them. */
export function annotationsOf(pod: PodObject): Texts {
  return byOurKeys(textsAt(pod.metadata, 'annotations'));
}

/** The containers of a list of the pod; none where it has no such list. */
export function containersOf(pod: PodObject, list: 'containers' | 'initContainers'): readonly Container[] {
  return (pod.spec[list] ?? []) as unknown as readonly Container[];
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textsAt(metadata: JsonValue | undefined, field: 'labels' | 'annotations'): Texts {
  return ((isObject(metadata) ? metadata[field] : undefined) ?? {}) as Texts;
}
