import { createHash } from 'node:crypto';
import type { EnvoyConfig, Resource } from '../../compiler/render/resource.ts';
import { messageTypes } from '../../compiler/render/resource.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';
import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import { contentVersion, type DiscoveryResource } from '../../xds/resource.ts';
import type { ListIds, PlainList, PlainProxy, PlainResource, PlainSecrets, PlainSnapshot } from './plain-snapshot.ts';

interface Compiled {
  readonly configs: readonly EnvoyConfig[];
  /** One a configuration. Whose account is not told, nobody can be. */
  readonly workloads: readonly (Pick<Workload, 'addresses'> & Partial<Pick<Workload, 'serviceAccount'>>)[];
  /** Proxies (`<namespace>/<name>`) whose configuration is not made of the objects in force. */
  readonly frozen?: ReadonlySet<string>;
  /** One list a configuration; absent: none has any. */
  readonly secrets?: readonly (readonly DiscoveryResource[])[];
}

type Half = Readonly<Record<ConfigurationList, readonly Resource[]>>;

/** A list as it is used now. */
interface UsedList {
  readonly id: string;
  readonly list: ConfigurationList;
  readonly resources: readonly Resource[];
}

/**
 * Puts compilations into a form that goes to another thread: each resource is encoded once, and each list and each body
 * sent once as long as it stays in use. What it costs is what changed.
 */
export class SnapshotSender {
  readonly #encoded = new WeakMap<Resource, Required<PlainResource>>();
  readonly #ids = new WeakMap<readonly Resource[], Map<ConfigurationList, string>>();
  readonly #names = new WeakMap<readonly Resource[], ReadonlySet<string>>();
  #sentLists: ReadonlyMap<string, UsedList> = new Map();
  /** How many of the lists that were sent have a resource. */
  readonly #sentResources = new Map<string, number>();
  /** Digests of the secrets of proxies. */
  #sentSecrets: ReadonlyMap<string, string> = new Map();

  /** `isUrgent` says of each proxy whether its change may take access away. */
  send({ configs, workloads, frozen, secrets = [] }: Compiled, isUrgent: (proxy: string) => boolean): PlainSnapshot {
    const used = new Map<string, UsedList>();
    const idsOf = (half: Half): ListIds => {
      const id = (list: ConfigurationList): string => {
        const resources = half[list];
        const made = this.#idOf(list, resources);
        if (!used.has(made)) used.set(made, { id: made, list, resources });
        return made;
      };
      return { clusters: id('clusters'), endpoints: id('endpoints'), listeners: id('listeners'), routes: id('routes') };
    };
    const sentSecrets = new Map<string, string>();
    const proxies = configs.map((config, i): PlainProxy => {
      const { serviceAccount = '', addresses = [] } = workloads[i] ?? {};
      const { shared, own } = this.#halvesOf(config);
      const { namespace, workload: name } = config;
      const key = `${namespace}/${name}`;
      const plain = plainSecrets(secrets[i] ?? [], this.#sentSecrets.get(key));
      if (plain !== undefined) sentSecrets.set(key, plain.id);
      // Another key, or an authority less, may take access away.
      const isOther = plain?.id !== this.#sentSecrets.get(key);
      const marks = { isUrgent: isOther || isUrgent(key), isFrozen: frozen?.has(key) === true };
      const lists = { shared: idsOf(shared), own: idsOf(own), ...(plain && { secrets: plain }) };
      return { namespace, name, serviceAccount, addresses, ...marks, ...lists };
    });
    this.#sentSecrets = sentSecrets;
    return { lists: this.#newLists(used), proxies };
  }

  /** A proxy that does without some listeners of its scope has all listeners for itself. */
  #halvesOf(config: EnvoyConfig): { readonly shared: Half; readonly own: Half } {
    const { shared, own, sharedEndpoints, ownEndpoints, hasAllListeners } = config;
    const names = this.#namesOf(shared.listeners);
    const isWhole = hasAllListeners && !own.listeners.some(({ name }) => names.has(name));
    return {
      shared: { ...shared, endpoints: sharedEndpoints, listeners: isWhole ? shared.listeners : none },
      own: { ...own, endpoints: ownEndpoints, listeners: isWhole ? own.listeners : config.listeners },
    };
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
    for (const { id, list, resources } of used.values()) {
      if (this.#sentLists.has(id)) continue;
      const plain = resources.map((resource): PlainResource => {
        const { name, version, body } = this.#encode(resource);
        const key = `${list}\n${name}\n${version}`;
        const count = this.#sentResources.get(key) ?? 0;
        this.#sentResources.set(key, count + 1);
        return count > 0 ? { name, version } : { name, version, body };
      });
      lists.push({ id, list, resources: plain });
    }
    for (const [id, gone] of this.#sentLists) if (!used.has(id)) this.#forget(gone);
    this.#sentLists = used;
    return lists;
  }

  #forget({ list, resources }: UsedList): void {
    for (const resource of resources) {
      const { name, version } = this.#encode(resource);
      const key = `${list}\n${name}\n${version}`;
      const count = (this.#sentResources.get(key) ?? 1) - 1;
      if (count > 0) this.#sentResources.set(key, count);
      else this.#sentResources.delete(key);
    }
  }

  #idOf(list: ConfigurationList, resources: readonly Resource[]): string {
    let ids = this.#ids.get(resources);
    if (ids === undefined) {
      ids = new Map();
      this.#ids.set(resources, ids);
    }
    let id = ids.get(list);
    if (id === undefined) {
      const parts = resources.flatMap((resource) => [resource.name, this.#encode(resource).version]);
      id = contentVersion(list, ...parts);
      ids.set(list, id);
    }
    return id;
  }

  #encode(resource: Resource): Required<PlainResource> {
    let encoded = this.#encoded.get(resource);
    if (encoded === undefined) {
      const body = encodeMessage(messageTypes[resource.type], resource.json);
      const version = createHash('sha256').update(body).digest('hex').slice(0, 16);
      encoded = { name: resource.name, version, body };
      this.#encoded.set(resource, encoded);
    }
    return encoded;
  }
}

const none: readonly Resource[] = [];

/** Undefined where there are none; `sent` is the digest of those that were sent last. */
function plainSecrets(resources: readonly DiscoveryResource[], sent: string | undefined): PlainSecrets | undefined {
  if (resources.length === 0) return undefined;
  const id = contentVersion(...resources.flatMap(({ name, version }) => [name, version]));
  return id === sent ? { id } : { id, resources };
}
