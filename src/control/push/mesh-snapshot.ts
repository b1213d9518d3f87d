import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import { emptyView, ResourceView } from '../../xds/resource-view.ts';
import type { ListIds, PlainList, PlainProxy, PlainResource, PlainSecrets, PlainSnapshot } from './plain-snapshot.ts';

/** What one proxy may see of its configuration, by type. */
export type ProxyViews = Readonly<Record<ConfigurationList, ResourceView>>;

/** All that one proxy may see. Keys are in the secrets, and nowhere else. */
export interface ServedViews extends ProxyViews {
  readonly secrets: ResourceView;
}

/** One proxy of the mesh: who may be it, and what it is served. */
export interface ServedProxy
  extends Pick<PlainProxy, 'namespace' | 'name' | 'serviceAccount' | 'addresses' | 'isUrgent' | 'isFrozen'> {
  /** The same objects as before where nothing changed. */
  readonly views: ServedViews;
}

/** All proxies at one moment, by `namespace/name`. */
export interface MeshSnapshot {
  readonly proxies: ReadonlyMap<string, ServedProxy>;
}

const configurationLists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/** Nothing is compiled yet. */
export const emptySnapshot: MeshSnapshot = { proxies: new Map() };

export function proxyKey({ namespace, name }: Pick<PlainProxy, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/** Makes snapshots of what a compile thread sends, in its order. A thread that is started anew needs a new receiver. */
export class SnapshotReceiver {
  #lists: ReadonlyMap<string, SentList> = new Map();
  readonly #resources = new KnownResources();
  /** By the ids of their lists. */
  #views: ReadonlyMap<string, ResourceView> = new Map();
  #secrets: ReadonlyMap<string, KnownSecrets> = new Map();
  /** By content; made by another thread, until there is a snapshot of this one. */
  #before: ReadonlyMap<string, ResourceView>;

  /** Views of the snapshot before, made by another thread, are taken over where they are equal. */
  constructor(before: MeshSnapshot = emptySnapshot) {
    this.#before = new Map(
      [...before.proxies.values()].flatMap(({ views }) =>
        configurationLists.map((list) => [contentKey(list, views[list]), views[list]] as const),
      ),
    );
  }

  receive({ lists, proxies }: PlainSnapshot): MeshSnapshot {
    const added = new Map<string, SentList>();
    for (const sent of lists) added.set(sent.id, this.#resources.add(sent));
    const used = new Map<string, SentList>();
    const views = new Map<string, ResourceView>();
    const part = (id: string): ResourceList => {
      const found = added.get(id) ?? this.#lists.get(id);
      if (found === undefined) throw new Error(`the list ${id} is named as known, and was not sent before`);
      used.set(id, found);
      return found.made;
    };
    const view = (list: ConfigurationList, shared: ListIds, own: ListIds): ResourceView => {
      const key = `${list}\n${shared[list]}\n${own[list]}`;
      let made = views.get(key);
      if (made === undefined) {
        const parts = [part(shared[list]), part(own[list])];
        made = this.#views.get(key) ?? this.#sameAsBefore(list, new ResourceView(...parts));
        views.set(key, made);
      }
      return made;
    };
    const knownSecrets = new Map<string, KnownSecrets>();
    const secretsOf = (key: string, sent: PlainSecrets | undefined): ResourceView => {
      if (sent === undefined) return emptyView;
      const known = knownOf(key, sent, this.#secrets.get(key));
      knownSecrets.set(key, known);
      return known.view;
    };
    const made = proxies.map(({ shared, own, secrets, ...proxy }): readonly [string, ServedProxy] => [
      proxyKey(proxy),
      {
        ...proxy,
        views: {
          secrets: secretsOf(proxyKey(proxy), secrets),
          clusters: view('clusters', shared, own),
          endpoints: view('endpoints', shared, own),
          listeners: view('listeners', shared, own),
          routes: view('routes', shared, own),
        },
      },
    ]);
    for (const [id, list] of [...this.#lists, ...added]) if (used.get(id) !== list) this.#resources.remove(list);
    this.#lists = used;
    this.#views = views;
    this.#secrets = knownSecrets;
    this.#before = new Map();
    return { proxies: new Map(made) };
  }

  #sameAsBefore(list: ConfigurationList, made: ResourceView): ResourceView {
    return this.#before.size === 0 ? made : (this.#before.get(contentKey(list, made)) ?? made);
  }
}

/** Secrets of a proxy that were sent, with their digest. */
interface KnownSecrets {
  readonly id: string;
  readonly view: ResourceView;
}

function knownOf(key: string, { id, resources }: PlainSecrets, before: KnownSecrets | undefined): KnownSecrets {
  if (resources !== undefined) return { id, view: new ResourceView(new ResourceList(resources)) };
  if (before?.id !== id) throw new Error(`the secrets of ${key} are named as known, and were not sent before`);
  return before;
}

/** A list that was sent, and its resources in the order in which they were. */
interface SentList {
  readonly list: ConfigurationList;
  readonly made: ResourceList;
  readonly resources: readonly DiscoveryResource[];
}

/** The resources of all lists in use: a body is sent once, whatever lists it stands in. */
class KnownResources {
  readonly #byKey = new Map<string, { readonly resource: DiscoveryResource; uses: number }>();

  /** The list that is meant; its resources are known until it is removed. */
  add({ list, resources: sent }: PlainList): SentList {
    const resources = sent.map((resource) => this.#use(list, resource));
    return { list, made: new ResourceList(resources), resources };
  }

  remove({ list, resources }: SentList): void {
    for (const resource of resources) {
      const key = resourceKey(list, resource);
      const known = this.#byKey.get(key);
      if (known !== undefined && --known.uses === 0) this.#byKey.delete(key);
    }
  }

  #use(list: ConfigurationList, { name, version, body }: PlainResource): DiscoveryResource {
    const key = resourceKey(list, { name, version });
    let known = this.#byKey.get(key);
    if (known === undefined) {
      if (body === undefined) throw new Error(`${list} "${name}" is named as known, and was not sent before`);
      known = { resource: { name, version, body }, uses: 0 };
      this.#byKey.set(key, known);
    }
    known.uses++;
    return known.resource;
  }
}

function resourceKey(list: ConfigurationList, { name, version }: Pick<DiscoveryResource, 'name' | 'version'>): string {
  return `${list}\n${name}\n${version}`;
}

function contentKey(list: string, { parts }: ResourceView): string {
  return [list, ...parts.map(({ version }) => version)].join('\n');
}
