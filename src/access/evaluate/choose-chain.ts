import type { Chain, Listener } from '../lift/listener.ts';
import type { AddressBlock } from '../model/address-block.ts';
import { addressBytes } from '../model/address-block.ts';
import { lowerCase } from '../model/bytes.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { isUrl, unreadTarget } from './check-wire.ts';

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
      : none;

  let chains = chainsAtPort(listener, destination.port);
  chains = narrowest(chains, destinationsOf, destination.address);
  chains = byServerName(chains, seesTls ? (tls.serverName ?? '') : '');
  const others = chains;
  chains = byTransport(chains, seesTls ? 'tls' : 'raw_buffer');
  chains = byProtocol(chains, protocols);
  chains = narrowest(chains, sourcesOf, source);
  return { chain: chains[0] ?? listener.defaultChain, others };
}

/** Whether an inspector reads the first bytes of a connection; `disabledPorts` are undefined where the listener has none. */
export function isLookedInto(disabledPorts: readonly number[] | undefined, { destination }: Connection): boolean {
  return disabledPorts?.includes(destination.port) === false;
}

/**
 * Why it is not known what the inspectors make of plaintext bytes. A first line may be longer than what they read at once: if
 * all of its bytes are there by then, none wakes the inspector for HTTP again, and Envoy waits until `listener_filters_timeout`.
 */
export function unknownToInspectors(
  { inspectors }: Listener,
  connection: Connection,
  request: HttpRequest | undefined,
): string | undefined {
  if (request === undefined || connection.protocol !== 'http/1.1' || connection.tls !== undefined) return undefined;
  if (!isLookedInto(inspectors.http, connection)) return undefined;
  const { method, path } = request;
  const unread = unreadTarget(path);
  if (unread !== undefined) return unread;
  if (method === 'CONNECT' && !path.startsWith('/'))
    return 'CONNECT with something else than a path, before an inspector';
  const most = isLookedInto(inspectors.tls, connection) ? mostReadAtOnce : mostOfHttp;
  return method.length + path.length + ' HTTP/1.1\r\n'.length + 1 > most ? slowLine : undefined;
}

const slowLine = 'a first line so long that its way depends on how many packets bring it';

/** By the inspector for TLS, which stands before the one for HTTP. */
const mostReadAtOnce = 16_384;
const mostOfHttp = 65_536;

/** What the inspector makes of plaintext bytes: it reads the first line, and knows no methods. */
function plainProtocols({ protocol }: Connection, request: HttpRequest | undefined): readonly string[] {
  if (protocol === 'bytes' || request === undefined) return none;
  if (protocol === 'h2') return ['h2c'];
  return isUrl(request.path) && !request.path.includes('\x7f') ? plainHttp : none;
}

const none: readonly string[] = [];
const plainHttp = ['http/1.1'];

/** The chains of a listener for one destination port, else those that name none. */
function chainsAtPort({ chains }: Listener, port: number): readonly Chain[] {
  let byPort = portIndexes.get(chains);
  if (byPort === undefined) {
    byPort = new Map();
    for (const chain of chains) {
      const known = byPort.get(chain.match.port);
      if (known === undefined) byPort.set(chain.match.port, [chain]);
      else known.push(chain);
    }
    portIndexes.set(chains, byPort);
  }
  return byPort.get(port) ?? byPort.get(undefined) ?? noChains;
}

const portIndexes = new WeakMap<Listener['chains'], Map<number | undefined, Chain[]>>();
const noChains: readonly Chain[] = [];

function byTransport(chains: readonly Chain[], transport: string): readonly Chain[] {
  const isNamed = chains.some(({ match }) => match.transport === transport);
  return chains.filter(({ match }) => match.transport === (isNamed ? transport : undefined));
}

function destinationsOf({ match }: Chain): readonly AddressBlock[] {
  return match.destinations;
}

function sourcesOf({ match }: Chain): readonly AddressBlock[] {
  return match.sources;
}

/** The chains of the smallest block that holds the address; those without blocks where none does. */
function narrowest(
  chains: readonly Chain[],
  blocksOf: (chain: Chain) => readonly AddressBlock[],
  text: string,
): readonly Chain[] {
  if (!haveBlocks(chains, blocksOf)) return chains;
  const address = addressBytes(text);
  let longest = -1;
  let found: Chain[] = [];
  for (const chain of chains) {
    const length = longestHolding(blocksOf(chain), address);
    if (length > longest) [longest, found] = [length, []];
    if (length === longest && length !== -1) found.push(chain);
  }
  return longest === -1 ? chains.filter((chain) => blocksOf(chain).length === 0) : found;
}

function haveBlocks(chains: readonly Chain[], blocksOf: (chain: Chain) => readonly AddressBlock[]): boolean {
  for (const chain of chains) if (blocksOf(chain).length > 0) return true;
  return false;
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
