import { append } from '../../lib/append.ts';
import { NearNames } from '../../lib/near-names.ts';
import { compareStrings } from '../../lib/sort.ts';
import { isWildcard } from '../topology/host.ts';
import type { Service, ServiceAlias, Topology } from '../topology/model.ts';
import type { EgressHost } from './egress-hosts.ts';

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
  readonly #nearNames = new Map<string, NearNames>();
  #byEnd: readonly (readonly [reversed: string, named: NamedService])[] | undefined;

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
    const own = namespace === '*' ? this.#all : (this.#byNamespace.get(namespace) ?? []);
    return host === '*' || own.length <= fewNames ? own : shorter(own, this.#endingIn(host.slice(1)));
  }

  /** Services among which are all that entries of `egress` name. */
  servicesFor(hosts: readonly EgressHost[]): readonly Service[] {
    const found = new Set<Service>();
    for (const host of hosts) for (const { service } of this.namesFor(host)) found.add(service);
    return this.inOrder(found);
  }

  /** The host of a namespace, or with `*` of any, that a mistyped one was meant to be. */
  nearHost({ namespace, host }: EgressHost): string | undefined {
    let names = this.#nearNames.get(namespace);
    if (names === undefined) {
      names = new NearNames(this.namesFor({ namespace, host: '*' }).map((named) => named.host));
      this.#nearNames.set(namespace, names);
    }
    return names.nearest(host);
  }

  inOrder(services: Iterable<Service>): readonly Service[] {
    const rankOf = (service: Service): number => this.#ranks.get(service) ?? 0;
    return [...new Set(services)].sort((a, b) => rankOf(a) - rankOf(b));
  }

  /** Names that end in a text stand side by side where all are sorted from their ends. */
  #endingIn(end: string): readonly NamedService[] {
    this.#byEnd ??= this.#all
      .map((named) => [reversed(named.host), named] as const)
      .sort(([a], [b]) => compareStrings(a, b));
    const start = reversed(end);
    const found: NamedService[] = [];
    for (let i = firstFrom(this.#byEnd, start); this.#byEnd[i]?.[0].startsWith(start); i++) {
      found.push((this.#byEnd[i] as readonly [string, NamedService])[1]);
    }
    return found;
  }
}

/** So many names are looked at one by one. */
const fewNames = 50;

function shorter<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  return a.length <= b.length ? a : b;
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

/** Where the first that is not before `text` stands. */
function firstFrom(sorted: readonly (readonly [string, unknown])[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.[0] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
