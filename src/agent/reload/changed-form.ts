import { staticForm } from '../../envoy/static-form.ts';
import type { ResourceText } from './cut-resources.ts';
import { type Json, routeNamesOf } from './proxy-files.ts';
import type { NamedResource, ResourceKind } from './suspects.ts';

/**
 * The part of a configuration that a change concerns, in Envoy's static form: the changed resources, the listeners that
 * use changed routes, and the clusters that these listeners name themselves. The rest is in force, so that Envoy has
 * judged it; a mesh of a thousand services is not judged again for one policy. Of `all`, a later resource replaces an
 * earlier one of its kind and name.
 */
export function formOf(bootstrap: Json, all: readonly NamedResource[], changed: readonly NamedResource[]): object {
  const byName = new Map(all.map((resource) => [`${resource.kind} ${resource.of.name}`, resource]));
  const namesOf = (kind: ResourceKind): ReadonlySet<string> =>
    new Set(changed.filter((resource) => resource.kind === kind).map(({ of }) => of.name));
  const take = (kind: ResourceKind, isWanted: (resource: ResourceText) => boolean): Json[] =>
    [...byName.values()]
      .filter((resource) => resource.kind === kind && isWanted(resource.of))
      .map(({ of }) => of.value);

  const changedListeners = namesOf('listeners');
  const changedRoutes = namesOf('routes');
  const listeners = take(
    'listeners',
    ({ name, text }) =>
      changedListeners.has(name) ||
      (changedRoutes.size > 0 && routeNamesOf(text).some((route) => changedRoutes.has(route))),
  );
  const used = new Set(routeNamesOf(JSON.stringify(listeners)));
  // The clusters of routes may be away, as they may where Envoy reads routes by file.
  const routes = take('routes', ({ name }) => used.has(name)).map((route) => ({ ...route, validate_clusters: false }));
  const changedClusters = namesOf('clusters');
  const called = clustersCalledBy(listeners);
  const clusters = take('clusters', ({ name }) => changedClusters.has(name) || called.has(name));
  return staticForm({ bootstrap, listeners, clusters, routes });
}

/**
 * Clusters that filters and access logs call by themselves: Envoy may refuse a listener whose filter calls what it does
 * not know. Where connections and requests go to may be away.
 */
export function clustersCalledBy(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return found;
  const { cluster_name, collector_cluster, uri, cluster } = value as Json;
  for (const name of [cluster_name, collector_cluster, uri === undefined ? undefined : cluster]) {
    if (typeof name === 'string') found.add(name);
  }
  for (const child of Object.values(value)) clustersCalledBy(child, found);
  return found;
}
