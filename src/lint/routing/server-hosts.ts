import { isWildcard, matches, subsetOf } from '../../compiler/topology/host.ts';
import type { Gateway, Server } from '../../policy/gateway.ts';

/** A host of a server: `ns/host`, `./host` for the Gateway's own namespace, any namespace else. */
export interface ServerHost {
  /** Whose routes are taken; `*`: everybody's. */
  readonly namespace: string;
  /** In lower case. */
  readonly host: string;
}

export function serverHosts(gateway: Gateway, { hosts }: Server): readonly ServerHost[] {
  return hosts.map((text) => {
    const slash = text.indexOf('/');
    const owner = slash === -1 ? '*' : text.slice(0, slash);
    return { namespace: owner === '.' ? gateway.namespace : owner, host: text.slice(slash + 1).toLowerCase() };
  });
}

/** The hosts of all servers of one Gateway, by which a host finds those that it has in common with them. */
export class OfferedHosts {
  readonly #exact = new Map<string, Set<string>>();
  readonly #wild: ServerHost[] = [];
  readonly #all: readonly ServerHost[];

  /** Of the servers that use routes, or of those that only redirect to others. */
  constructor(gateway: Gateway, wanted: 'serving' | 'redirecting' = 'serving') {
    const { servers } = gateway.spec;
    const hasTls = servers.some(({ tls, port }) => tls?.mode !== undefined || isSecure(port.protocol));
    // A server that only redirects to the one with TLS uses no routes; without such a one, TLS may end before the gateway.
    const isServing = ({ tls, port }: Server): boolean =>
      !hasTls || tls?.httpsRedirect !== true || isSecure(port.protocol);
    const some = servers.filter((server) => isServing(server) === (wanted === 'serving'));
    this.#all = some.flatMap((server) => serverHosts(gateway, server));
    for (const offered of this.#all) {
      if (isWildcard(offered.host)) {
        this.#wild.push(offered);
        continue;
      }
      const owners = this.#exact.get(offered.host) ?? new Set();
      this.#exact.set(offered.host, owners.add(offered.namespace));
    }
  }

  /** Whether routes of some namespace for the host, or for a part of it, are served. */
  hasPartForAny(host: string): boolean {
    return this.#all.some((offered) => this.hasPartOf(host, offered.namespace));
  }

  /** Whether routes of the namespace for the host, or for a part of it, are served. */
  hasPartOf(host: string, namespace: string): boolean {
    const isOpen = (owner: string): boolean => owner === '*' || owner === namespace;
    if (isWildcard(host)) return this.#all.some((offered) => isOpen(offered.namespace) && matches(host, offered.host));
    if ([...(this.#exact.get(host) ?? [])].some(isOpen)) return true;
    return this.#wild.some((offered) => isOpen(offered.namespace) && subsetOf(host, offered.host));
  }
}

function isSecure(protocol: string): boolean {
  return ['HTTPS', 'TLS'].includes(protocol.toUpperCase());
}
