import type { JsonPath } from '../diagnostics/span.ts';
import { lookup } from '../lib/lookup.ts';
import { valueAt } from '../lib/value-at.ts';
import { templatePath } from '../policy/unread-object.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import { type Controller, isObject, type PodObject } from './pod.ts';

/** A pod in an object of the Kubernetes API. */
export interface PodInObject {
  /** Of the pod, from the root of the object. */
  readonly path: JsonPath;
  readonly pod: PodObject;
  readonly namespace: string;
  /** The object that makes such pods; undefined: the object is the pod. */
  readonly controller: Controller | undefined;
}

const inTemplate: JsonPath = ['spec', 'template'];

/** Where pods stand, by API group and kind of the object. */
const places: Readonly<Record<string, JsonPath>> = {
  '/Pod': [],
  '/PodTemplate': ['template'],
  '/ReplicationController': inTemplate,
  'apps/DaemonSet': inTemplate,
  'apps/Deployment': inTemplate,
  'apps/ReplicaSet': inTemplate,
  'apps/StatefulSet': inTemplate,
  'batch/Job': inTemplate,
  'batch/CronJob': ['spec', 'jobTemplate', 'spec', 'template'],
};

/** The pod that an object is or makes; undefined for other kinds, and for an object that has no template of one. */
export function podIn(object: JsonObject): PodInObject | undefined {
  const path = placeIn(object);
  if (path === undefined) return undefined;
  const { apiVersion, kind, metadata } = object as JsonObject & Controller;
  const pod = valueAt(object, path) as JsonValue | undefined;
  if (!isObject(pod) || !isObject(pod.spec)) return undefined;
  const { name = 'pod', namespace = 'default' } = (isObject(metadata) ? metadata : {}) as Record<string, string>;
  const controller = path.length === 0 ? undefined : { apiVersion, kind, name };
  return { path, pod: pod as PodObject, namespace, controller };
}

/** Where an object of a kind that is known here should have a pod, and what is there instead; undefined: it has one. */
export function podGap(
  object: JsonObject,
): { readonly path: JsonPath; readonly is: JsonValue | undefined } | undefined {
  const place = placeIn(object);
  if (place === undefined) return undefined;
  const whole = [...place, 'spec'];
  for (const length of whole.keys()) {
    const path = whole.slice(0, length + 1);
    const is = valueAt(object, path) as JsonValue | undefined;
    if (!isObject(is)) return { path, is: is ?? undefined };
  }
  return undefined;
}

/** Whether an object of a kind that is not known here has a template of pods, as those of operators have. */
export function hasOtherPods(object: JsonObject): boolean {
  if (placeIn(object) !== undefined) return false;
  return Array.isArray(valueAt(object, [...templatePath(String(object.kind)), 'spec', 'containers']));
}

function placeIn({ apiVersion, kind }: JsonObject): JsonPath | undefined {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return lookup(places, `${group}/${kind}`);
}
