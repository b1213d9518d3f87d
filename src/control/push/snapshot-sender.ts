import { createHash } from 'node:crypto';
import type { EnvoyConfig, Resource } from '../../compiler/render/resource.ts';
import { messageTypes } from '../../compiler/render/resource.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';
import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import { contentVersion } from '../../xds/resource.ts';
import type { ListIds, PlainList, PlainProxy, PlainResource, PlainSnapshot } from './plain-snapshot.ts';

interface Compiled {
  readonly configs: readonly EnvoyConfig[];
  /** One a configuration. Whose account is not told, nobody can be. */
  readonly workloads: readonly (Pick<Workload, 'addresses'> & Partial<Pick<Workload, 'serviceAccount'>>)[];
}

type Half = Readonly<Record<ConfigurationList, readonly Resource[]>>;

/**
 * Puts compilations into a form that goes to another thread: each resource is encoded once, and each list and each body
 * sent once as long as it stays in use.
 */
export class SnapshotSender {
  readonly #encoded = new WeakMap<Resource, Required<PlainResource>>();
  readonly #ids = new WeakMap<readonly Resource[], Map<ConfigurationList, string>>();
  #sentLists: ReadonlySet<string> = new Set();
  #sentResources: ReadonlySet<string> = new Set();

  send({ configs, workloads }: Compiled, isUrgent: boolean): PlainSnapshot {
    const used = new Map<string, { readonly list: ConfigurationList; readonly resources: readonly Resource[] }>();
    const idsOf = (half: Half): ListIds => {
      const id = (list: ConfigurationList): string => {
        const made = this.#idOf(list, half[list]);
        if (!used.has(made)) used.set(made, { list, resources: half[list] });
        return made;
      };
      return { clusters: id('clusters'), endpoints: id('endpoints'), listeners: id('listeners'), routes: id('routes') };
    };
    const proxies = configs.map((config, i): PlainProxy => {
      const { serviceAccount = '', addresses = [] } = workloads[i] ?? {};
      const { shared, own } = halvesOf(config);
      const { namespace, workload: name } = config;
      return { namespace, name, serviceAccount, addresses, shared: idsOf(shared), own: idsOf(own) };
    });
    return { lists: this.#newLists(used), proxies, isUrgent };
  }

  #newLists(used: ReadonlyMap<string, { list: ConfigurationList; resources: readonly Resource[] }>): PlainList[] {
    const sent = new Set<string>();
    const lists: PlainList[] = [];
    for (const [id, { list, resources }] of used) {
      const isNew = !this.#sentLists.has(id);
      const plain: PlainResource[] = [];
      for (const resource of resources) {
        const { name, version, body } = this.#encode(resource);
        const key = `${list}\n${name}\n${version}`;
        if (isNew)
          plain.push(this.#sentResources.has(key) || sent.has(key) ? { name, version } : { name, version, body });
        sent.add(key);
      }
      if (isNew) lists.push({ id, list, resources: plain });
    }
    this.#sentLists = new Set(used.keys());
    this.#sentResources = sent;
    return lists;
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

/** A proxy that does without some listeners of its scope has all listeners for itself. */
function halvesOf(config: EnvoyConfig): { readonly shared: Half; readonly own: Half } {
  const { shared, own, sharedEndpoints, ownEndpoints, listeners } = config;
  const isWhole = listeners.length === shared.listeners.length + own.listeners.length;
  return {
    shared: { ...shared, endpoints: sharedEndpoints, listeners: isWhole ? shared.listeners : none },
    own: { ...own, endpoints: ownEndpoints, listeners: isWhole ? own.listeners : listeners },
  };
}

const none: readonly Resource[] = [];
