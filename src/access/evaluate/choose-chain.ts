import type { Chain, Listener } from '../lift/listener.ts';
import type { AddressBlock } from '../model/address-block.ts';
import { lowerCase } from '../model/bytes.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { byTransport, chainsTowards, narrowest } from './chains-towards.ts';
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

  const towards = chainsTowards(listener, destination);
  const { nameServers, nameSources, ofTransport } = towards;
  const transport = seesTls ? 'tls' : 'raw_buffer';
  const others = nameServers ? byServerName(towards.chains, (seesTls && tls.serverName) || '') : towards.chains;
  let chains = byProtocol(nameServers ? byTransport(others, transport) : ofTransport[transport], protocols);
  if (nameSources) chains = narrowest(chains, sourcesOf, source);
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

function sourcesOf({ match }: Chain): readonly AddressBlock[] {
  return match.sources;
}

/** The name itself, then `*.` and its parents, then chains that name none. */
function byServerName(chains: readonly Chain[], text: string): readonly Chain[] {
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
