import type { FilterChainIR } from '../../../ir/listener.ts';
import type { OutboundIR } from '../../../ir/proxy.ts';
import { type Connection, matchChain } from '../../testing/match-chain.ts';

/** Where a connection or request to an address ends: `cluster` for bytes, `http <route table>` for requests. */
export function destination({ listeners }: OutboundIR, name: string, connection: Connection): string {
  const listener = listeners.find((candidate) => candidate.name === name);
  if (listener === undefined) return 'no listener';
  return target(matchChain(listener, connection));
}

function target(chain: FilterChainIR | undefined): string {
  if (chain === undefined) return 'closed';
  return chain.filter.kind === 'http' ? `http ${chain.filter.routeConfig}` : chain.filter.cluster;
}

/** Listeners by name, without `virtualOutbound`. */
export const names = ({ listeners }: OutboundIR) =>
  listeners.map(({ name }) => name).filter((name) => name !== 'virtualOutbound');

/** Connections by what they begin with: a request, bytes, or the TLS of the caller. */
export const http: Connection = { alpn: ['http/1.1'] };
export const bytes: Connection = {};
export const tls = (serverName?: string): Connection => ({
  isTls: true,
  alpn: ['h2', 'http/1.1'],
  ...(serverName === undefined ? {} : { serverName }),
});
