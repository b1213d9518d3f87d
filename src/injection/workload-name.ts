import type { JsonObject } from '../source/document.ts';
import { type Controller, type InjectionTarget, isObject, type PodObject, type Texts } from './pod.ts';

/** Who makes the pod, as people know it. */
export interface Owner {
  /** Of the workload: the Deployment's, not that of its ReplicaSet. */
  readonly name: string;
  /** `kubernetes://apis/<apiVersion>/namespaces/<namespace>/<kind>s/<name>`. */
  readonly uri: string;
}

/**
 * The controller of the pod, or the pod itself. A Deployment is found by the name of its ReplicaSet, which ends in the
 * hash of the template, and a CronJob by that of its Job, which ends in the time of its run.
 */
export function ownerOf({ pod, namespace, controller }: InjectionTarget, labels: Texts): Owner {
  const given = controller ?? ownReference(pod);
  const { apiVersion, kind, name } = given === undefined ? selfOf(pod) : outermost(given, labels);
  const uri = `kubernetes://apis/${apiVersion}/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;
  return { name, uri };
}

function ownReference({ metadata }: PodObject): Controller | undefined {
  const references = isObject(metadata) ? metadata.ownerReferences : undefined;
  if (!Array.isArray(references)) return undefined;
  const found = (references as readonly JsonObject[]).find(({ controller }) => controller === true);
  return found as unknown as Controller | undefined;
}

function outermost(controller: Controller, labels: Texts): Controller {
  const { kind, name } = controller;
  const hash = labels['pod-template-hash'];
  if (kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`))
    return { apiVersion: 'apps/v1', kind: 'Deployment', name: name.slice(0, -hash.length - 1) };
  const [, cronJob] = kind === 'Job' ? (/^(.+)-\d{8,10}$/.exec(name) ?? []) : [];
  return cronJob === undefined ? controller : { apiVersion: 'batch/v1', kind: 'CronJob', name: cronJob };
}

/** The pod itself; the server has not yet made up the end of its name where it is to. */
function selfOf({ metadata }: PodObject): Controller {
  const { name, generateName } = (isObject(metadata) ? metadata : {}) as Texts;
  return { apiVersion: 'v1', kind: 'Pod', name: name ?? generateName?.replace(/-$/, '') ?? 'pod' };
}
