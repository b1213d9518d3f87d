import type { Chain, Listener } from '../lift/listener.ts';
import type { AddressBlock } from '../model/address-block.ts';
import { addressBytes } from '../model/address-block.ts';
import { lowerCase } from '../model/bytes.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { isUrl } from './check-wire.ts';

/**
 * The chain that Envoy takes, undefined where there is none, and those that would have taken a connection to the same
 * address and server name with other bytes. Envoy narrows by port, address, server name, transport, application protocol and the client's
 * address, in this order, and never goes back to a wider branch (FilterChainMatch of the API's
 * config/listener/v3/listener_components.proto).
 */
export function chooseChain(
  listener: Listener,
  connection: Connection,
  request: HttpRequest | undefined,
): { readonly chain: Chain | undefined; readonly others: readonly Chain[] } {
  const { destination, source, tls } = connection;
  const seesTls = tls !== undefined && isLookedInto(listener.inspectors.tls, connection);
  const protocols = seesTls
    ? tls.alpn
    : tls === undefined && isLookedInto(listener.inspectors.http, connection)
      ? plainProtocols(connection, request)
      : [];

  let { chains } = listener;
  chains = narrow(chains, ({ match }) => match.port, destination.port);
  chains = narrowest(chains, ({ match }) => match.destinations, addressBytes(destination.address));
  chains = byServerName(chains, seesTls ? (tls.serverName ?? '') : '');
  const others = chains;
  chains = narrow(chains, ({ match }) => match.transport, seesTls ? 'tls' : 'raw_buffer');
  chains = byProtocol(chains, protocols);
  chains = narrowest(chains, ({ match }) => match.sources, addressBytes(source));
  return { chain: chains[0] ?? listener.defaultChain, others };
}

/** Whether an inspector reads the first bytes of a connection; `disabledPorts` are undefined where the listener has none. */
export function isLookedInto(disabledPorts: readonly number[] | undefined, { destination }: Connection): boolean {
  return disabledPorts?.includes(destination.port) === false;
}

/** What the inspector makes of plaintext bytes: it reads the first line, and knows no methods. */
function plainProtocols({ protocol }: Connection, request: HttpRequest | undefined): readonly string[] {
  if (protocol === 'bytes' || request === undefined) return [];
  if (protocol === 'h2') return ['h2c'];
  return isUrl(request.path) ? ['http/1.1'] : [];
}

function narrow<T>(chains: readonly Chain[], criterion: (chain: Chain) => T | undefined, value: T): readonly Chain[] {
  const exact: Chain[] = [];
  const open: Chain[] = [];
  for (const chain of chains) {
    const wanted = criterion(chain);
    if (wanted === value) exact.push(chain);
    else if (wanted === undefined) open.push(chain);
  }
  return exact.length > 0 ? exact : open;
}

/** The chains of the smallest block that holds the address; those without blocks where none does. */
function narrowest(
  chains: readonly Chain[],
  blocksOf: (chain: Chain) => readonly AddressBlock[],
  address: readonly number[],
): readonly Chain[] {
  if (chains.every((chain) => blocksOf(chain).length === 0)) return chains;
  let longest = -1;
  let found: Chain[] = [];
  for (const chain of chains) {
    const length = longestHolding(blocksOf(chain), address);
    if (length > longest) [longest, found] = [length, []];
    if (length === longest && length !== -1) found.push(chain);
  }
  return longest === -1 ? chains.filter((chain) => blocksOf(chain).length === 0) : found;
}

/** -1 where no block holds the address. */
function longestHolding(blocks: readonly AddressBlock[], address: readonly number[]): number {
  let longest = -1;
  for (const block of blocks) if (block.length > longest && block.holds(address)) longest = block.length;
  return longest;
}

/** The name itself, then `*.` and its parents, then chains that name none. */
function byServerName(chains: readonly Chain[], text: string): readonly Chain[] {
  if (chains.every(({ match }) => match.serverNames.length === 0)) return chains;
  const name = lowerCase(text);
  const candidates = name === '' ? [] : [name, ...parentsOf(name).map((parent) => `*.${parent}`)];
  for (const candidate of candidates) {
    const found = chains.filter(({ match }) => match.serverNames.includes(candidate));
    if (found.length > 0) return found;
  }
  return chains.filter(({ match }) => match.serverNames.length === 0);
}

function parentsOf(name: string): readonly string[] {
  const labels = name.split('.');
  return labels.slice(1).map((_, i) => labels.slice(i + 1).join('.'));
}

/** The first protocol that the client offers and a chain names. */
function byProtocol(chains: readonly Chain[], protocols: readonly string[]): readonly Chain[] {
  for (const protocol of protocols) {
    const found = chains.filter(({ match }) => match.alpn.includes(protocol));
    if (found.length > 0) return found;
  }
  return chains.filter(({ match }) => match.alpn.length === 0);
}
