import type { EnvoyConfig, Resource, ResourceSet } from '../../compiler/render/resource.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { isSameList } from '../../diagnostics/kept.ts';
import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import type { ProxyFault } from '../../xds/proxy-faults.ts';
import { contentVersion, type DiscoveryResource } from '../../xds/resource.ts';
import { EncodedResources } from './encoded-resources.ts';
import { HalfNumbers } from './half-numbers.ts';
import { NamedRoutes } from './named-routes.ts';
import type {
  ListIds,
  PlainHalf,
  PlainList,
  PlainProxy,
  PlainResource,
  PlainSecrets,
  PlainSnapshot,
} from './plain-snapshot.ts';

interface Compiled {
  readonly configs: readonly EnvoyConfig[];
  /** One a configuration. Whose account is not told, nobody can be. */
  readonly workloads: readonly (Pick<Workload, 'addresses'> & Partial<Pick<Workload, 'serviceAccount'>>)[];
  /** Proxies (`<namespace>/<name>`) whose configuration is not made of the objects in force. */
  readonly frozen?: ReadonlySet<string>;
  /** One list a configuration; absent: none has any. */
  readonly secrets?: readonly (readonly DiscoveryResource[])[];
  /** One list a configuration; absent: none has any. */
  readonly faults?: readonly (readonly ProxyFault[])[];
}

type Resources = readonly Resource[];
type Half = Readonly<Record<ConfigurationList, readonly Resource[]>>;

/** A list as it is used now. */
interface UsedList {
  readonly id: string;
  readonly list: ConfigurationList;
  readonly resources: readonly Resource[];
  /** Id of the list that is in its place in the snapshot before. */
  readonly before?: string | undefined;
}

/**
 * Converts results of compilations into messages for another thread. Each resource is encoded once; each list, body, half
 * and proxy is sent once as long as it stays the same, so the cost depends on what changed.
 */
export class SnapshotSender {
  readonly #encoded = new EncodedResources();
  readonly #ids = new WeakMap<readonly Resource[], Map<ConfigurationList, string>>();
  readonly #names = new WeakMap<readonly Resource[], ReadonlySet<string>>();
  readonly #numbers = new HalfNumbers();
  readonly #named = new NamedRoutes();
  #sentLists: ReadonlyMap<string, UsedList> = new Map();
  #sentHalves: ReadonlyMap<number, ListIds> = new Map();
  #sentProxies: ReadonlyMap<string, PlainProxy> = new Map();

  /** `isUrgent` says of each proxy whether its change may take access away. */
  send(
    { configs, workloads, frozen, secrets = [], faults = [] }: Compiled,
    isUrgent: (proxy: string) => boolean,
  ): PlainSnapshot {
    this.#numbers.begin();
    const halves = new Map<number, Half>();
    const now = new Map<string, PlainProxy>();
    const changed: PlainProxy[] = [];
    for (const [i, config] of configs.entries()) {
      const { serviceAccount = '', addresses = [] } = workloads[i] ?? {};
      const { namespace, workload: name } = config;
      const key = `${namespace}/${name}`;
      const before = this.#sentProxies.get(key);
      const plain = plainSecrets(secrets[i] ?? [], before?.secrets?.id);
      // Another key, or an authority less, may take access away.
      const isOther = plain?.id !== before?.secrets?.id;
      const marks = { isUrgent: isOther || isUrgent(key), isFrozen: frozen?.has(key) === true };
      const numbers = this.#numbersOf(config, halves);
      const own = faults[i] ?? [];
      const told = own.length === 0 ? {} : { faults: own };
      const rest = { namespace, name, serviceAccount, addresses, ...marks, ...numbers, ...told };
      const isSame = before !== undefined && !isOther && isSameProxy(before, rest);
      // Of secrets nothing but the digest is kept.
      now.set(key, isSame ? before : { ...rest, ...(plain && { secrets: { id: plain.id } }) });
      if (!isSame) changed.push({ ...rest, ...(plain && { secrets: plain }) });
    }
    const gone = [...this.#sentProxies.keys()].filter((key) => !now.has(key));
    this.#sentProxies = now;
    return { ...this.#newHalves(halves), proxies: changed, gone };
  }

  /** A proxy that does without some listeners of its scope has all listeners for itself, and its routes if it does without some. */
  #numbersOf(config: EnvoyConfig, halves: Map<number, Half>): Pick<PlainProxy, 'shared' | 'own'> {
    const { shared, own, sharedEndpoints, ownEndpoints, hasAllListeners } = config;
    const names = this.#namesOf(shared.listeners);
    const isWhole = hasAllListeners && !own.listeners.some(({ name }) => names.has(name));
    const named = isWhole ? undefined : this.#named.of(config);
    const numberOf = (set: ResourceSet, listeners: Resources, endpoints: Resources, routes: Resources): number => {
      const number = this.#numbers.of(set, listeners, endpoints, routes);
      if (!halves.has(number)) halves.set(number, { clusters: set.clusters, listeners, endpoints, routes });
      return number;
    };
    return {
      shared: numberOf(shared, isWhole ? shared.listeners : none, sharedEndpoints, named ? none : shared.routes),
      own: numberOf(own, isWhole ? own.listeners : config.listeners, ownEndpoints, named ?? own.routes),
    };
  }

  #newHalves(halves: ReadonlyMap<number, Half>): Pick<PlainSnapshot, 'lists' | 'halves' | 'goneHalves'> {
    const used = new Map<string, UsedList>();
    const now = new Map<number, ListIds>();
    const changed: PlainHalf[] = [];
    for (const [id, half] of halves) {
      const before = this.#sentHalves.get(id);
      const idOf = (list: ConfigurationList): string => {
        const made = this.#idOf(list, half[list]);
        if (!used.has(made)) used.set(made, { id: made, list, resources: half[list], before: before?.[list] });
        return made;
      };
      const lists = {
        ...{ clusters: idOf('clusters'), endpoints: idOf('endpoints') },
        ...{ listeners: idOf('listeners'), routes: idOf('routes') },
      };
      now.set(id, lists);
      if (!isSameLists(before, lists)) changed.push({ id, lists });
    }
    const goneHalves = [...this.#sentHalves.keys()].filter((id) => !now.has(id));
    this.#sentHalves = now;
    return { lists: this.#newLists(used), halves: changed, goneHalves };
  }

  #namesOf(resources: readonly Resource[]): ReadonlySet<string> {
    let names = this.#names.get(resources);
    if (names === undefined) {
      names = new Set(resources.map(({ name }) => name));
      this.#names.set(resources, names);
    }
    return names;
  }

  /** The lists that were not sent before; those that are gone from use are forgotten, as the receiver forgets them. */
  #newLists(used: ReadonlyMap<string, UsedList>): PlainList[] {
    const lists: PlainList[] = [];
    for (const [id, each] of used) {
      const sent = this.#sentLists.get(id);
      if (sent === undefined) lists.push(this.#plainList(each));
      // Equal resources, which are other objects: those that are counted are those that are released one day.
      else if (sent.resources !== each.resources) for (const resource of each.resources) this.#encoded.use(resource);
    }
    for (const [id, { resources }] of this.#sentLists)
      if (used.get(id)?.resources !== resources) for (const resource of resources) this.#encoded.release(resource);
    this.#sentLists = used;
    return lists;
  }

  /** Of thousands of endpoints most often one is another than before. */
  #plainList({ id, list, resources, before = '' }: UsedList): PlainList {
    const unknown = new Set(resources.filter((resource) => this.#encoded.use(resource)));
    const plain = (resource: Resource): PlainResource => {
      const { name, version, body } = this.#encoded.of(resource);
      return unknown.has(resource) ? { name, version, body } : { name, version };
    };
    const base = this.#sentLists.get(before);
    const places = base && otherPlaces(base.resources, resources);
    if (places === undefined) return { id, list, resources: resources.map(plain) };
    return { id, list, base: before, places, resources: places.map((at) => plain(resources[at] as Resource)) };
  }

  #idOf(list: ConfigurationList, resources: readonly Resource[]): string {
    let ids = this.#ids.get(resources);
    if (ids === undefined) {
      ids = new Map();
      this.#ids.set(resources, ids);
    }
    let id = ids.get(list);
    if (id === undefined) {
      const parts = resources.flatMap((resource) => [resource.name, this.#encoded.of(resource).version]);
      id = contentVersion(list, ...parts);
      ids.set(list, id);
    }
    return id;
  }
}

const none: Resources = [];

/** Where two lists of the same length have other resources; undefined: in more than a quarter of their places. */
function otherPlaces(a: Resources, b: Resources): readonly number[] | undefined {
  if (a.length !== b.length) return undefined;
  const places: number[] = [];
  for (const [at, resource] of b.entries()) {
    if (resource === a[at]) continue;
    if (places.push(at) * 4 > b.length) return undefined;
  }
  return places;
}

function isSameProxy(a: PlainProxy, b: PlainProxy): boolean {
  const isSameIdentity = a.serviceAccount === b.serviceAccount && isSameList(a.addresses, b.addresses);
  const isSameFault = (fault: ProxyFault, i: number): boolean =>
    fault.name === b.faults?.[i]?.name && fault.text === b.faults[i].text;
  if (a.faults?.length !== b.faults?.length || a.faults?.every(isSameFault) === false) return false;
  return (
    isSameIdentity && a.isUrgent === b.isUrgent && a.isFrozen === b.isFrozen && a.shared === b.shared && a.own === b.own
  );
}

function isSameLists(a: ListIds | undefined, b: ListIds): boolean {
  return (
    a !== undefined &&
    a.clusters === b.clusters &&
    a.endpoints === b.endpoints &&
    a.listeners === b.listeners &&
    a.routes === b.routes
  );
}

/** Undefined where there are none; `sent` is the digest of those that were sent last. */
function plainSecrets(resources: readonly DiscoveryResource[], sent: string | undefined): PlainSecrets | undefined {
  if (resources.length === 0) return undefined;
  const id = contentVersion(...resources.flatMap(({ name, version }) => [name, version]));
  return id === sent ? { id } : { id, resources };
}
