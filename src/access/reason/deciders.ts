import type { DecidingField, FragmentFields, OriginsFile } from '../../contracts/origins-file.ts';
import { formatPath } from '../../diagnostics/json-path.ts';
import type { Fragment } from '../../envoy/api/fragment.ts';

/**
 * The fields of objects that decided a fragment of a listener or a route table: those of the smallest part of the resource
 * that contains the fragment and has any. Empty if only defaults of the compiler decided.
 */
export function decidersOf(origins: OriginsFile, resource: string, at: Fragment): readonly DecidingField[] {
  return fragmentOf(origins, resource, at)?.decidedBy ?? [];
}

/** The same for a fragment of a cluster, which may have the name of a route table. */
export function clusterDecidersOf(origins: OriginsFile, name: string, at: Fragment): readonly DecidingField[] {
  return smallestHolding(origins.clusters[name] ?? [], formatPath(at.path))?.decidedBy ?? [];
}

/** That part, with the fields that it overrode; undefined if only defaults of the compiler decided. */
export function fragmentOf(origins: OriginsFile, resource: string, at: Fragment): FragmentFields | undefined {
  const found = smallestOf.get(origins) ?? new Map<string, FragmentFields | undefined>();
  smallestOf.set(origins, found);
  const path = formatPath(at.path);
  const key = `${resource} ${path}`;
  if (!found.has(key)) {
    const fragments = [...(origins.listeners[resource] ?? []), ...(origins.routes[resource] ?? [])];
    found.set(key, smallestHolding(fragments, path));
  }
  return found.get(key);
}

/** What was found, by resource and path: the requests of one run meet the same few rules again and again. */
const smallestOf = new WeakMap<OriginsFile, Map<string, FragmentFields | undefined>>();

function smallestHolding(fragments: readonly FragmentFields[], path: string): FragmentFields | undefined {
  const holding = fragments.filter((one) => holds(one.path, path));
  return holding.sort((a, b) => b.path.length - a.path.length)[0];
}

/** Whether a path leads to what holds another, or to the same. */
function holds(outer: string, inner: string): boolean {
  if (!inner.startsWith(outer)) return false;
  return outer === '' || inner.length === outer.length || /^[.[]/.test(inner.slice(outer.length));
}
