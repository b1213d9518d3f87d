import { compareSpecificity, mostSpecific, subsetOf } from '../../topology/host.ts';
import { type GatewayServer, isSecure } from './server.ts';

/** Names for Envoy's `server_names`: none for a server of any host. Sorted, each once. */
export function serverNames(hosts: readonly string[]): readonly string[] {
  return hosts.includes('*') ? [] : [...new Set(hosts)].sort();
}

/** Beyond this many hosts of other servers a table names only those that its own hosts cover, and the rest by `*`. */
const mostForeignHosts = 100;

/** Which hosts of a TLS port belong to which of its servers: to the one that a client asking for that name reaches. */
export class HostOwners {
  readonly #owners = new Map<string, GatewayServer>();
  readonly #sorted: readonly string[];

  /** No server owns the hosts of servers that were `leftOut`, unless another server names them itself. */
  constructor(servers: readonly GatewayServer[], leftOut: readonly GatewayServer[]) {
    for (const server of [...servers, ...leftOut].filter(isSecure)) {
      for (const { host } of server.hosts) if (!this.#owners.has(host)) this.#owners.set(host, server);
    }
    this.#sorted = [...this.#owners.keys()].sort(compareSpecificity);
  }

  /** True when `server` owns the whole of `host`, or no server does. */
  isOwnedBy(host: string, server: GatewayServer): boolean {
    const name = mostSpecific(host, this.#sorted);
    return name === undefined || this.#owners.get(name) === server;
  }

  /**
   * Hosts that are not for `server`: a client that asks for them on a connection to it has to open another one. Where
   * there are very many, `*` stands for those that no host of `server` covers.
   */
  foreignTo(server: GatewayServer): readonly string[] {
    const foreign = this.#sorted.filter((host) => this.#owners.get(host) !== server);
    if (foreign.length <= mostForeignHosts) return foreign;
    const inside = foreign.filter((host) => server.hosts.some((own) => subsetOf(host, own.host)));
    return this.#owners.get('*') === server ? inside : [...inside, '*'];
  }
}
