import { append } from '../../lib/append.ts';
import { isWildcard } from '../topology/host.ts';
import type { Service, ServiceAlias, Topology } from '../topology/model.ts';
import type { EgressHost } from './egress.ts';

/** A service by its own name, or by that of an alias. */
export type NamedService = Pick<ServiceAlias, 'host' | 'namespace' | 'exportTo'> & { readonly service: Service };

const indexes = new WeakMap<Topology['services'], ServiceIndex>();

/** The services of a topology by their names; made once. */
export function serviceIndex(topology: Topology): ServiceIndex {
  const index = indexes.get(topology.services) ?? new ServiceIndex(topology.services);
  indexes.set(topology.services, index);
  return index;
}

/** Finds services by host or namespace without a look at all of them. Answers are oldest first, each service once. */
export class ServiceIndex {
  readonly #all: readonly NamedService[];
  readonly #byHost = new Map<string, NamedService[]>();
  readonly #byNamespace = new Map<string, NamedService[]>();
  readonly #ranks: ReadonlyMap<Service, number>;

  constructor(services: readonly Service[]) {
    this.#ranks = new Map(services.map((service, i) => [service, i]));
    this.#all = services.flatMap((service) =>
      [service, ...service.aliases].map(({ host, namespace, exportTo }) => ({ host, namespace, exportTo, service })),
    );
    for (const named of this.#all) {
      append(this.#byHost, named.host, named);
      append(this.#byNamespace, named.namespace, named);
    }
  }

  /** Names among which are all those of an entry of `egress`. */
  namesFor({ namespace, host }: EgressHost): readonly NamedService[] {
    if (!isWildcard(host)) return this.#byHost.get(host) ?? [];
    return namespace === '*' ? this.#all : (this.#byNamespace.get(namespace) ?? []);
  }

  /** Services among which are all that entries of `egress` name. */
  servicesFor(hosts: readonly EgressHost[]): readonly Service[] {
    return this.inOrder(hosts.flatMap((host) => this.namesFor(host).map(({ service }) => service)));
  }

  inOrder(services: Iterable<Service>): readonly Service[] {
    const rankOf = (service: Service): number => this.#ranks.get(service) ?? 0;
    return [...new Set(services)].sort((a, b) => rankOf(a) - rankOf(b));
  }
}
