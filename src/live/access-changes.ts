import { mayReach } from '../compiler/reach.ts';
import type { Workload } from '../compiler/topology/model.ts';
import type { Settings } from '../config/settings.ts';
import { standardGatewayKind } from '../policy/gateway-api.ts';
import type { MeshObject } from '../policy/object.ts';
import type { JsonObject } from '../source/document.ts';
import { keyOf } from './object-name.ts';

/** What was in force, or is now. */
export interface AccessInputs {
  readonly objects: readonly MeshObject<string>[];
  /** By `<namespace>/<name>`. */
  readonly workloads: ReadonlyMap<string, Workload>;
  readonly rootNamespace: string | undefined;
}

/** Proxies whose access rules may be others than before, by `<namespace>/<name>`. */
export type TouchedProxies = ReadonlySet<string> | 'all';

/** Kinds that decide who is let in. Gateways of the Gateway API decide for which workloads the policies are that name them. */
const ofAccess: ReadonlySet<string> = new Set([
  ...['AuthorizationPolicy', 'PeerAuthentication', 'RequestAuthentication'],
  ...[standardGatewayKind, 'GatewayClass', 'ReferenceGrant'],
]);

/** For more changed objects nobody goes through the proxies one by one. */
const mostChanges = 20;

const nothing: AccessInputs = { objects: [], workloads: new Map(), rootNamespace: undefined };

/** Finds whom a version of the inputs may have given other access rules, by the version before. */
export class AccessChanges {
  #before: AccessInputs = nothing;
  #frozen: ReadonlySet<string> = new Set();

  /** These are in force; those that are frozen, or were, go from one set of policies to another. */
  take(now: AccessInputs, frozen: Iterable<string>, settings: Settings): TouchedProxies {
    const changed = touchedProxies(this.#before, now, settings);
    const was = this.#frozen;
    this.#before = now;
    this.#frozen = new Set(frozen);
    return changed === 'all' ? changed : new Set([...changed, ...was, ...this.#frozen]);
  }

  /** What is in force stays so; these are frozen. */
  freeze(frozen: Iterable<string>): void {
    this.#frozen = new Set(frozen);
  }
}

/** Whom changed rules may concern, as they were or as they are, and who is selected by others than before. */
function touchedProxies(before: AccessInputs, now: AccessInputs, settings: Settings): TouchedProxies {
  if (before.rootNamespace !== now.rootNamespace) return 'all';
  const changes = changedTexts(before.objects, now.objects);
  if (changes.length > mostChanges) return 'all';
  const touched = new Set<string>();
  for (const [key, workload] of now.workloads) {
    const known = before.workloads.get(key);
    const isSelectedAnew = known !== workload && JSON.stringify(known?.labels) !== JSON.stringify(workload.labels);
    if (isSelectedAnew || changes.some((text) => mayReach(text, workload, settings))) touched.add(key);
  }
  return touched;
}

/** Of each rule that came, changed or went, what it was and what it is. */
function changedTexts(before: AccessInputs['objects'], now: AccessInputs['objects']): readonly JsonObject[] {
  const [old, current] = [textsOf(before), textsOf(now)];
  const keys = new Set([...old.keys(), ...current.keys()]);
  return [...keys].flatMap((key) => {
    const [was, is] = [old.get(key), current.get(key)];
    if (was === is || JSON.stringify(was) === JSON.stringify(is)) return [];
    return [was, is].filter((text) => text !== undefined);
  });
}

function textsOf(objects: AccessInputs['objects']): ReadonlyMap<string, JsonObject> {
  const rules = objects.filter(({ kind }) => ofAccess.has(kind));
  // One that is bound to Gateways is there as it is written, and for each Gateway with the selector that it has by it.
  return new Map(
    rules.map((rule) => [
      `${keyOf(rule.document.value)} ${'target' in rule ? JSON.stringify(rule.target) : ''}`,
      rule.document.value,
    ]),
  );
}
