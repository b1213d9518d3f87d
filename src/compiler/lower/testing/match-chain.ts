import ipaddr from 'ipaddr.js';
import type { FilterChainIR, ListenerIR } from '../../ir/listener.ts';

/** What the listener filters have found out of a connection. */
export interface Connection {
  readonly port?: number;
  readonly address?: string;
  readonly serverName?: string;
  /** Protocols that a TLS client offers, or what the HTTP inspector made of plaintext bytes. */
  readonly alpn?: readonly string[];
  readonly isTls?: boolean;
}

/**
 * The chain that Envoy takes: it narrows by port, address, server name, transport and application protocol in this
 * order, and never goes back to a wider branch (https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/config/listener/v3/listener_components.proto#config-listener-v3-filterchainmatch).
 */
export function matchChain(listener: ListenerIR, connection: Connection): FilterChainIR | undefined {
  const { port, address, serverName, alpn = [], isTls = false } = connection;
  const { httpInspector, tlsInspector } = listener.listenerFilters;
  const sees = (inspector: { disabledPorts: readonly number[] } | undefined) =>
    inspector !== undefined && !inspector.disabledPorts.includes(port ?? -1);
  const seesTls = isTls && sees(tlsInspector);
  const offered = isTls ? (seesTls ? alpn : []) : sees(httpInspector) ? alpn : [];

  let chains = listener.filterChains;
  chains = narrow(chains, ({ match }) => match.destinationPort, port);
  const block = address === undefined ? undefined : narrowest(chains, address);
  chains = chains.filter(({ match: { destinationPrefixes: all } }) =>
    block === undefined ? all.length === 0 : all.includes(block),
  );
  chains = narrow(chains, ({ match }) => match.serverNames[0], seesTls ? serverName : undefined);
  chains = narrow(chains, ({ match }) => match.transportProtocol, seesTls ? 'tls' : 'raw_buffer');
  for (const protocol of offered) {
    const found = chains.find(({ match }) => match.applicationProtocols.includes(protocol));
    if (found !== undefined) return found;
  }
  return chains.find(({ match }) => match.applicationProtocols.length === 0) ?? listener.defaultFilterChain;
}

function narrow<T>(
  chains: readonly FilterChainIR[],
  criterion: (chain: FilterChainIR) => T | undefined,
  value: T | undefined,
): readonly FilterChainIR[] {
  const exact = value === undefined ? [] : chains.filter((chain) => criterion(chain) === value);
  return exact.length > 0 ? exact : chains.filter((chain) => criterion(chain) === undefined);
}

/** Of the blocks and addresses that the chains name, the smallest that the address is in. */
function narrowest(chains: readonly FilterChainIR[], address: string): string | undefined {
  const target = ipaddr.parse(address);
  const bitsOf = (block: string): number => Number(block.split('/')[1] ?? 128);
  const holds = (block: string): boolean => {
    if (!block.includes('/')) return block === address;
    const [prefix, bits] = ipaddr.parseCIDR(block);
    return prefix.kind() === target.kind() && target.match(prefix, bits);
  };
  const blocks = chains.flatMap(({ match }) => match.destinationPrefixes).filter(holds);
  return blocks.sort((a, b) => bitsOf(b) - bitsOf(a))[0];
}
