import { compareSpecificity, mostSpecific, subsetOf } from '../../topology/host.ts';
import { type GatewayServer, isSecure } from './server.ts';

/** Names for Envoy's `server_names`: none for a server of any host. Sorted, each once. */
export function serverNames(hosts: readonly string[]): readonly string[] {
  return hosts.includes('*') ? [] : [...new Set(hosts)].sort();
}

/** Which hosts of a TLS port belong to which of its servers: to the one that a client asking for that name reaches. */
export class HostOwners {
  readonly #owners = new Map<string, GatewayServer>();
  readonly #sorted: readonly string[];

  constructor(servers: readonly GatewayServer[]) {
    for (const server of servers.filter(isSecure)) {
      for (const { host } of server.hosts) this.#owners.set(host, server);
    }
    this.#sorted = [...this.#owners.keys()].sort(compareSpecificity);
  }

  /** True when the whole of `host` is served by `server` or by nobody. */
  isOwnedBy(host: string, server: GatewayServer): boolean {
    const name = mostSpecific(host, this.#sorted);
    return name === undefined || this.#owners.get(name) === server;
  }

  /**
   * Hosts of the port's other servers, without those that cover hosts of `server` only because they are wider: a client
   * that asks for them on a connection to `server` has to open another one.
   */
  foreignTo(server: GatewayServer): readonly string[] {
    return this.#sorted.filter((host) => this.#owners.get(host) !== server);
  }

  /** True when some host of another server lies inside `host`. */
  hasForeignInside(host: string, server: GatewayServer): boolean {
    return this.foreignTo(server).some((other) => other !== host && subsetOf(other, host));
  }
}
