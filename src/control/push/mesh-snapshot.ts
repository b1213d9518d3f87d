import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import { ResourceView } from '../../xds/resource-view.ts';
import type { ListIds, PlainProxy, PlainResource, PlainSnapshot } from './plain-snapshot.ts';

/** What one proxy may see, by type. */
export type ProxyViews = Readonly<Record<ConfigurationList, ResourceView>>;

/** One proxy of the mesh: who may be it, and what it is served. */
export interface ServedProxy
  extends Pick<PlainProxy, 'namespace' | 'name' | 'serviceAccount' | 'addresses' | 'isUrgent'> {
  /** The same objects as before where nothing changed. */
  readonly views: ProxyViews;
}

/** All proxies at one moment, by `namespace/name`. */
export interface MeshSnapshot {
  readonly proxies: ReadonlyMap<string, ServedProxy>;
}

/** Nothing is compiled yet. */
export const emptySnapshot: MeshSnapshot = { proxies: new Map() };

export function proxyKey({ namespace, name }: Pick<PlainProxy, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/** Makes snapshots of what a compile thread sends, in its order. A thread that is started anew needs a new receiver. */
export class SnapshotReceiver {
  #lists: ReadonlyMap<string, ResourceList> = new Map();
  #resources: ReadonlyMap<string, DiscoveryResource> = new Map();
  #views: ReadonlyMap<string, ResourceView>;

  /** Views of the snapshot before, made by another thread, are taken over where they are equal. */
  constructor(before: MeshSnapshot = emptySnapshot) {
    this.#views = new Map(
      [...before.proxies.values()].flatMap(({ views }) =>
        Object.entries(views).map(([list, view]) => [contentKey(list, view), view] as const),
      ),
    );
  }

  receive({ lists, proxies }: PlainSnapshot): MeshSnapshot {
    const known = new Map(this.#lists);
    const bodies = new Map(this.#resources);
    for (const { id, list, resources } of lists) {
      known.set(id, new ResourceList(resources.map((resource) => resourceOf(list, resource, bodies))));
    }
    const used = new Map<string, ResourceList>();
    const views = new Map<string, ResourceView>();
    const view = (list: ConfigurationList, shared: ListIds, own: ListIds): ResourceView => {
      const parts = [shared[list], own[list]].map((id) => {
        const found = known.get(id);
        if (found === undefined) throw new Error(`the list ${id} is named as known, and was not sent before`);
        used.set(id, found);
        return found;
      });
      let made = new ResourceView(...parts);
      const key = contentKey(list, made);
      made = views.get(key) ?? this.#views.get(key) ?? made;
      views.set(key, made);
      return made;
    };
    const made = proxies.map(({ shared, own, ...proxy }): readonly [string, ServedProxy] => [
      proxyKey(proxy),
      {
        ...proxy,
        views: {
          clusters: view('clusters', shared, own),
          endpoints: view('endpoints', shared, own),
          listeners: view('listeners', shared, own),
          routes: view('routes', shared, own),
        },
      },
    ]);
    this.#lists = used;
    this.#views = views;
    this.#resources = resourcesOf(views);
    return { proxies: new Map(made) };
  }
}

function resourceOf(
  list: ConfigurationList,
  { name, version, body }: PlainResource,
  bodies: Map<string, DiscoveryResource>,
): DiscoveryResource {
  const key = `${list}\n${name}\n${version}`;
  let resource = bodies.get(key);
  if (resource === undefined) {
    if (body === undefined) throw new Error(`${list} "${name}" is named as known, and was not sent before`);
    resource = { name, version, body };
    bodies.set(key, resource);
  }
  return resource;
}

function resourcesOf(views: ReadonlyMap<string, ResourceView>): ReadonlyMap<string, DiscoveryResource> {
  const resources = new Map<string, DiscoveryResource>();
  const seen = new Set<ResourceList>();
  for (const [key, { parts }] of views) {
    const list = key.slice(0, key.indexOf('\n'));
    for (const part of parts) {
      if (seen.has(part)) continue;
      seen.add(part);
      for (const resource of part.all) resources.set(`${list}\n${resource.name}\n${resource.version}`, resource);
    }
  }
  return resources;
}

function contentKey(list: string, { parts }: ResourceView): string {
  return [list, ...parts.map(({ version }) => version)].join('\n');
}
