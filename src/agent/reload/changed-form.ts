import type { EnvoyResource, Json } from '../../envoy/api/resource-file.ts';
import { staticForm } from '../../envoy/static-form.ts';
import { routeNamesOf } from './proxy-files.ts';
import type { KindedResource, ResourceKind } from './suspects.ts';

/**
 * The part of a configuration that a change concerns, in Envoy's static form: the changed resources, the listeners that
 * use changed routes, and the clusters that these listeners name themselves. The rest is in force, so that Envoy has
 * judged it; a mesh of a thousand services is not judged again for one policy. Of `all`, a later resource replaces an
 * earlier one of its kind and name.
 */
export function formOf(bootstrap: Json, all: readonly KindedResource[], changed: readonly KindedResource[]): object {
  const byName = new Map(all.map((kinded) => [`${kinded.kind} ${kinded.resource.name}`, kinded]));
  const namesOf = (kind: ResourceKind): ReadonlySet<string> =>
    new Set(changed.filter((kinded) => kinded.kind === kind).map(({ resource }) => resource.name));
  const take = (kind: ResourceKind, isWanted: (resource: EnvoyResource) => boolean): readonly EnvoyResource[] =>
    [...byName.values()].flatMap((kinded) => {
      return kinded.kind === kind && isWanted(kinded.resource) ? [kinded.resource] : [];
    });
  const messages = (resources: readonly EnvoyResource[]): readonly Json[] => resources.map(({ json }) => json);

  const changedListeners = namesOf('listeners');
  const changedRoutes = namesOf('routes');
  const listeners = take(
    'listeners',
    (resource) =>
      changedListeners.has(resource.name) ||
      (changedRoutes.size > 0 && routeNamesOf([resource]).some((route) => changedRoutes.has(route))),
  );
  const used = new Set(routeNamesOf(listeners));
  // The clusters of routes may be away, as they may where Envoy reads routes by file.
  const routes = messages(take('routes', ({ name }) => used.has(name)));
  const changedClusters = namesOf('clusters');
  const called = clustersCalledBy(messages(listeners));
  const clusters = take('clusters', ({ name }) => changedClusters.has(name) || called.has(name));
  return staticForm({
    bootstrap,
    listeners: messages(listeners),
    clusters: messages(clusters),
    routes: routes.map((route) => ({ ...route, validate_clusters: false })),
  });
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
