import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import { faultResource } from '../../xds/proxy-faults.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import { emptyView, ResourceView } from '../../xds/resource-view.ts';
import { KnownResources, type SentList } from './known-resources.ts';
import { NamedViews } from './named-views.ts';
import type { ListIds, PlainProxy, PlainSecrets, PlainSnapshot } from './plain-snapshot.ts';

/** The resources that one proxy may get, by type. */
export type ProxyViews = Readonly<Record<ConfigurationList, ResourceView>>;

/** All resources that one proxy may get. Private keys are only in the secrets. */
export interface ServedViews extends ProxyViews {
  readonly secrets: ResourceView;
  /** Why it does not have what the inputs say. */
  readonly faults: ResourceView;
  /** Names of the mesh that it may know, for an agent that answers DNS. */
  readonly names: ResourceView;
}

/** One proxy of the mesh: which client may be it, and what it is served. */
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

/** Builds snapshots from the messages of a compile thread, in their order. A restarted thread needs a new receiver. */
export class SnapshotReceiver {
  #lists: ReadonlyMap<string, SentList> = new Map();
  readonly #resources = new KnownResources();
  readonly #halves = new Map<number, ListIds>();
  readonly #proxies = new Map<string, KnownProxy>();
  /** By the list that is shared, and then by the own one. */
  readonly #views = new WeakMap<ResourceList, WeakMap<ResourceList, ResourceView>>();
  /** Without secrets; by the numbers of the shared half and of the own one. */
  #pairs: ReadonlyMap<number, ReadonlyMap<number, ServedViews>> = new Map();
  readonly #named = new NamedViews<ServedViews>();
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

  /** `namesOf` gives the names that a workload (`<namespace>/<name>`) of the namespace may know. */
  receive(
    { lists, halves, goneHalves, proxies, gone }: PlainSnapshot,
    namesOf: (namespace: string, workload: string) => ResourceView = () => emptyView,
  ): MeshSnapshot {
    const added = new Map<string, SentList>();
    for (const sent of lists) added.set(sent.id, this.#resources.add(sent, this.#lists.get(sent.base ?? '')));
    for (const id of goneHalves) this.#halves.delete(id);
    for (const { id, lists: ids } of halves) this.#halves.set(id, ids);
    for (const key of gone) this.#proxies.delete(key);
    for (const proxy of proxies) {
      const key = proxyKey(proxy);
      const before = this.#proxies.get(key);
      const secrets = knownOf(key, proxy.secrets, before?.secrets);
      this.#proxies.set(key, { proxy, secrets, faults: faultView(proxy.faults, before?.faults) });
    }
    const used = this.#usedLists(added);
    const pairs = this.#pairsOf(used);
    for (const [id, list] of [...this.#lists, ...added]) if (used.get(id) !== list) this.#resources.remove(list);
    this.#lists = used;
    const made = new Map<string, ServedProxy>();
    for (const [key, known] of this.#proxies)
      made.set(key, served(known, this.#named.of(pairs(known.proxy), namesOf(known.proxy.namespace, key))));
    this.#before = new Map();
    return { proxies: made };
  }

  #usedLists(added: ReadonlyMap<string, SentList>): ReadonlyMap<string, SentList> {
    const used = new Map<string, SentList>();
    for (const ids of this.#halves.values()) {
      for (const list of configurationLists) {
        const id = ids[list];
        if (used.has(id)) continue;
        const found = added.get(id) ?? this.#lists.get(id);
        if (found === undefined) throw new Error(`the list ${id} is named as known, and was not sent before`);
        used.set(id, found);
      }
    }
    return used;
  }

  /** Views of pairs of halves, made once a pair. */
  #pairsOf(lists: ReadonlyMap<string, SentList>): (proxy: Pick<PlainProxy, 'shared' | 'own'>) => ServedViews {
    const before = this.#pairs;
    const pairs = new Map<number, Map<number, ServedViews>>();
    this.#pairs = pairs;
    const part = (id: string): ResourceList => (lists.get(id) as SentList).made;
    const view = (list: ConfigurationList, shared: ListIds, own: ListIds): ResourceView =>
      this.#viewOf(list, part(shared[list]), part(own[list]));
    const viewsOf = (shared: ListIds, own: ListIds): ServedViews => ({
      secrets: emptyView,
      faults: emptyView,
      names: emptyView,
      clusters: view('clusters', shared, own),
      endpoints: view('endpoints', shared, own),
      listeners: view('listeners', shared, own),
      routes: view('routes', shared, own),
    });
    return (numbers) => {
      const byOwn = pairs.get(numbers.shared) ?? new Map<number, ServedViews>();
      pairs.set(numbers.shared, byOwn);
      const known = byOwn.get(numbers.own);
      if (known !== undefined) return known;
      const old = before.get(numbers.shared)?.get(numbers.own);
      const made = viewsOf(this.#halfOf(numbers.shared), this.#halfOf(numbers.own));
      const pair = old !== undefined && isSameViews(old, made) ? old : made;
      byOwn.set(numbers.own, pair);
      return pair;
    };
  }

  #viewOf(list: ConfigurationList, shared: ResourceList, own: ResourceList): ResourceView {
    let byOwn = this.#views.get(shared);
    if (byOwn === undefined) {
      byOwn = new WeakMap();
      this.#views.set(shared, byOwn);
    }
    let view = byOwn.get(own);
    if (view === undefined) {
      view = this.#sameAsBefore(list, new ResourceView(shared, own));
      byOwn.set(own, view);
    }
    return view;
  }

  #halfOf(id: number): ListIds {
    const found = this.#halves.get(id);
    if (found === undefined) throw new Error(`the half ${id} is named as known, and was not sent before`);
    return found;
  }

  #sameAsBefore(list: ConfigurationList, made: ResourceView): ResourceView {
    return this.#before.size === 0 ? made : (this.#before.get(contentKey(list, made)) ?? made);
  }
}

function isSameViews(a: ServedViews, b: ServedViews): boolean {
  return configurationLists.every((list) => a[list] === b[list]);
}

/** A proxy as it was sent last, and as it was last served. */
interface KnownProxy {
  readonly proxy: PlainProxy;
  readonly secrets: KnownSecrets | undefined;
  readonly faults: ResourceView;
  /** Of these views without its secrets. */
  pair?: ServedViews;
  served?: ServedProxy;
}

function served(known: KnownProxy, pair: ServedViews): ServedProxy {
  if (known.served !== undefined && known.pair === pair) return known.served;
  const { shared: _shared, own: _own, secrets: _digest, faults: _told, ...proxy } = known.proxy;
  const { secrets, faults } = known;
  const isPair = secrets === undefined && faults === emptyView;
  const made = { ...proxy, views: isPair ? pair : { ...pair, secrets: secrets?.view ?? emptyView, faults } };
  known.pair = pair;
  known.served = made;
  return made;
}

/** The same object as before where nothing differs. */
function faultView(faults: PlainProxy['faults'] = [], before = emptyView): ResourceView {
  if (faults.length === 0) return emptyView;
  const view = new ResourceView(new ResourceList(faults.map(faultResource)));
  return view.version === before.version ? before : view;
}

/** Secrets of a proxy that were sent, with their digest. */
interface KnownSecrets {
  readonly id: string;
  readonly view: ResourceView;
}

function knownOf(
  key: string,
  sent: PlainSecrets | undefined,
  before: KnownSecrets | undefined,
): KnownSecrets | undefined {
  if (sent === undefined) return undefined;
  const { id, resources } = sent;
  if (resources !== undefined) return { id, view: new ResourceView(new ResourceList(resources)) };
  if (before?.id !== id) throw new Error(`the secrets of ${key} are named as known, and were not sent before`);
  return before;
}

function contentKey(list: string, { parts }: ResourceView): string {
  return [list, ...parts.map(({ version }) => version)].join('\n');
}
