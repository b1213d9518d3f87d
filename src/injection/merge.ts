import { containerAlias } from '../policy/alias.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import { keysOf } from './keyed-list.ts';
import { type Container, isObject, type PodObject } from './pod.ts';

/** Lists whose items are told apart by what names them; all others are replaced as a whole. */
const keyedLists: ReadonlySet<string> = new Set([
  ...['containers', 'initContainers', 'volumes', 'imagePullSecrets', 'hostAliases'],
  ...['env', 'volumeMounts', 'volumeDevices', 'ports'],
]);
/** Of these only one form may be said: two of them do not mix. */
const whole: ReadonlySet<string> = new Set(['postStart', 'preStop', 'livenessProbe', 'readinessProbe', 'startupProbe']);
const containerLists = ['containers', 'initContainers'] as const;

/**
 * Two partial pods: what the second one says of a field is what counts; containers are merged field by field. An empty field
 * says nothing, as for a server.
 */
export function mergePartial(base: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    if (value === null && before !== undefined) continue;
    if (isObject(before) && isObject(value) && !whole.has(key)) merged[key] = mergePartial(before, value);
    else if (Array.isArray(before) && Array.isArray(value) && keyedLists.has(key))
      merged[key] = mergeLists(before, value, key);
    else merged[key] = value;
  }
  return merged;
}

/**
 * A pod and what is injected into it. Of a container that both have, and of labels and volumes, the pod's own word counts;
 * of everything else the template's.
 */
export function mergePod(pod: PodObject, partial: JsonObject): PodObject {
  const own = ourNames(pod);
  const spec = isObject(partial.spec) ? partial.spec : {};
  const merged = mergePartial(own, partial) as PodObject;
  const lists = containerLists.flatMap((list) => {
    const ofPod = (own.spec[list] ?? []) as unknown as readonly Container[];
    const ofTemplate = (spec[list] ?? []) as unknown as readonly Container[];
    if (ofPod.length + ofTemplate.length === 0) return [];
    const kept = ofPod.map((container) => {
      const template = ofTemplate.find(({ name }) => name === container.name);
      return template === undefined ? container : mergePartial(template, withoutAuto(container));
    });
    const added = ofTemplate.filter(({ name }) => !ofPod.some((container) => container.name === name));
    return [[list, [...kept, ...added]] as const];
  });
  const volumes = mergeLists(listOf(spec.volumes), listOf(own.spec.volumes), 'volumes');
  const ownLabels = objectAt(own.metadata, 'labels');
  const labels = { ...ownLabels, ...objectAt(partial.metadata, 'labels'), ...ownLabels };
  return {
    ...merged,
    metadata: { ...(merged.metadata as JsonObject | undefined), labels },
    spec: {
      ...merged.spec,
      ...Object.fromEntries(lists as readonly (readonly [string, JsonValue])[]),
      ...(volumes.length === 0 ? {} : { volumes: inOrder(listOf(own.spec.volumes), volumes) }),
    },
  };
}

/** A pod of Istio's manifests may have a part of the proxy's container under Istio's name for it. */
function ourNames(pod: PodObject): PodObject {
  const renamed = containerLists.flatMap((list) => {
    const containers = pod.spec[list];
    if (!Array.isArray(containers)) return [];
    return [[list, containers.map((each: Container) => ({ ...each, name: containerAlias(each.name) }))] as const];
  });
  return { ...pod, spec: { ...pod.spec, ...Object.fromEntries(renamed) } };
}

/**
 * `image: auto` says that injection fills the image in. A server has then filled in when it is to be pulled, as for every
 * image without a tag.
 */
function withoutAuto(container: Container): JsonObject {
  if (container.image !== 'auto') return container;
  const { image, imagePullPolicy, ...rest } = container;
  return imagePullPolicy === undefined || imagePullPolicy === 'Always' ? rest : { ...rest, imagePullPolicy };
}

function mergeLists(base: readonly JsonValue[], over: readonly JsonValue[], list: string): readonly JsonValue[] {
  const keys = keysOf(base);
  const overKeys = keysOf(over);
  // Of two variables with one name the later one counts.
  if (keys === undefined || overKeys === undefined) return [...base, ...over];
  const items = new Map(keys.map((key, i) => [key, base[i] as JsonValue]));
  for (const [i, key] of overKeys.entries()) {
    const before = items.get(key);
    const item = over[i] as JsonValue;
    const isContainer = list === 'containers' || list === 'initContainers';
    items.set(key, isContainer && isObject(before) && isObject(item) ? mergePartial(before, item) : item);
  }
  return [...items.values()];
}

/** The pod's own items first, as they stood. */
function inOrder(own: readonly JsonValue[], all: readonly JsonValue[]): readonly JsonValue[] {
  return [...own, ...all.filter((item) => !own.includes(item))];
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function objectAt(holder: JsonValue | undefined, field: string): JsonObject {
  const value = isObject(holder) ? holder[field] : undefined;
  return isObject(value) ? value : {};
}
