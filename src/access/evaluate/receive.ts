import { hasOuterBlanks, withoutOuterBlanks } from '../../lib/header-text.ts';
import type { HttpManager } from '../lift/http-manager.ts';
import { stripAuthority } from '../model/authority.ts';
import { HeaderLines } from '../model/header-lines.ts';
import { authorityOf } from '../model/host-lines.ts';
import { normalizePath } from '../model/normalize-path.ts';
import { isOneLine } from '../model/one-line-headers.ts';
import { isReferer } from '../model/referer.ts';
import type { Outcome } from '../outcome.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { answered } from './answer.ts';
import type { Blanks } from './blanks.ts';
import { checkWire } from './check-wire.ts';
import { asksForUdp } from './connect-udp.ts';
import { isNearLimits, unseenOfProxy } from './head-limits.ts';
import { removeInternalHeaders } from './internal-headers.ts';
import { leaveConnection } from './leave-connection.ts';
import { isPlainHead } from './plain-head.ts';
import { remoteAddress } from './remote-address.ts';
import { RequestView } from './request-view.ts';

/** A request as the connection manager hands it to its filters, or the answer that it gives instead. */
export type Received = { readonly view: RequestView } | { readonly outcome: Outcome };

/** What a proxy does with these, and with the request, depends on their values. */
const decidingHeaders: ReadonlySet<string> = new Set([
  'referer',
  'te',
  'expect',
  'x-forwarded-for',
  'connection',
  'upgrade',
]);

/** By them Envoy tells a preflight from other requests with OPTIONS: its tokens are not read, and it may be answered. */
const headersOfPreflight: ReadonlySet<string> = new Set(['origin', 'access-control-request-method']);

/** The checks of the codec and of the connection manager, and what they change in a request. */
export function receive(manager: HttpManager, connection: Connection, request: HttpRequest, blanks?: Blanks): Received {
  const isPlain = isPlainHead(request) && !isNearLimits(request, manager);
  const untold = request.opaque?.find(
    (name) => decidingHeaders.has(name) || (request.method === 'OPTIONS' && headersOfPreflight.has(name)),
  );
  if (untold !== undefined) return { outcome: { kind: 'unmodelled', at: `the value of the header ${untold}` } };
  const fault = isPlain ? undefined : checkWire(connection, request, manager, blanks);
  if (fault !== undefined) return { outcome: fault };
  const normalized = normalizePath(request.path, manager.paths);
  if (normalized.kind === 'bad-request') return { outcome: answered(400, 'path_normalization_failed') };
  if (normalized.kind === 'redirect') return { outcome: answered(307, 'path_normalization_failed') };
  if (manager.upgrades.includes('connect-udp') && asksForUdp(request)) {
    return { outcome: { kind: 'unmodelled', at: 'a tunnel for UDP' } };
  }
  const headers = isPlain
    ? HeaderLines.inLowerCase(request.headers)
    : cleanLines(request, connection.protocol, manager);
  gather(headers, connection.protocol, request.opaque);
  if (!isPlain) {
    if (!leaveConnection(headers, manager)) return { outcome: answered(403, 'upgrade_failed') };
    removeInternalHeaders(headers, manager.usesRemoteAddress);
  }
  if (!leaveReferer(headers)) return { outcome: { kind: 'unmodelled', at: 'the header referer' } };
  const authority = isPlain || connection.protocol === 'h2' ? request.authority : authorityOf(request);
  const remote = remoteAddress(manager, connection, headers);
  // Whether it is an address depends on the network interfaces of Envoy's machine.
  if (remote !== connection.source && remote.includes('%')) {
    return { outcome: { kind: 'unmodelled', at: 'an address with a network interface in x-forwarded-for' } };
  }
  const view = new RequestView(
    connection,
    { method: request.method, path: normalized.path, authority: stripAuthority(authority, manager) },
    headers,
    remote,
    blanks,
  );
  view.unseen = (request.unseen ?? 0) + unseenOfProxy;
  if (blanks !== undefined) view.knowsRemote = knowsRemote(manager, headers, blanks);
  if (request.opaque !== undefined) view.opaque = request.opaque;
  addOwn(manager, view);
  return { view };
}

/** Removes a `referer` that Envoy takes for none. False where it is not known whether it does. */
function leaveReferer(headers: HeaderLines): boolean {
  const referer = headers.first('referer');
  if (referer === undefined) return true;
  const isKept = isReferer(referer);
  if (isKept === false) headers.delete('referer');
  return isKept !== undefined;
}

/** Whether `remoteAddress` is the client's address by what is known. */
function knowsRemote({ usesRemoteAddress, trustedHops }: HttpManager, headers: HeaderLines, { peer }: Blanks): boolean {
  if (usesRemoteAddress && trustedHops === 0) return peer.is !== 'remote';
  return headers.isTold('x-forwarded-for') || peer.is !== 'direct';
}

/** HTTP/1 has no blanks around a value, HTTP/2 leaves them there. */
function cleanLines(
  { headers, told }: HttpRequest,
  protocol: Connection['protocol'],
  { underscores }: HttpManager,
): HeaderLines {
  const kept = underscores === 'drop' ? headers.filter(([name]) => !name.includes('_')) : headers;
  const isClean = protocol === 'h2' || !kept.some(([, value]) => hasOuterBlanks(value));
  return new HeaderLines(isClean ? kept : kept.map(([name, raw]) => [name, withoutOuterBlanks(raw)]), told);
}

/** Joins lines. The codec of HTTP/2 gathers cookies apart, and an empty one is none. */
function gather(lines: HeaderLines, protocol: Connection['protocol'], opaque: HttpRequest['opaque']): void {
  joinLines(lines, protocol);
  if (protocol === 'h2' && lines.first('cookie') === '' && opaque?.includes('cookie') !== true) lines.delete('cookie');
}

/** As Envoy reads them: of some headers it makes one line. */
export function joinLines(lines: HeaderLines, protocol: Connection['protocol'] = 'http/1.1'): HeaderLines {
  lines.merge(protocol === 'h2' ? joinOverHttp2 : joinOf);
  return lines;
}

function joinOf(name: string): typeof withCommas | undefined {
  return isOneLine(name) ? withCommas : undefined;
}

/** Its codec makes one line of those of cookies (RFC 9113, section 8.2.3). */
function joinOverHttp2(name: string): typeof withCommas | undefined {
  return name === 'cookie' ? asCookies : joinOf(name);
}

function withCommas(values: readonly string[]): string {
  return values.filter((value) => value !== '').join(',');
}

function asCookies(values: readonly string[]): string {
  return values.reduce((before, value) => (before === '' ? value : `${before}; ${value}`));
}

/** Headers by which a proxy tells the next one of the client (Envoy's conn_manager_utility.cc). */
function addOwn(manager: HttpManager, view: RequestView): void {
  const { connection, headers } = view;
  const { usesRemoteAddress, trustedHops } = manager;
  if (usesRemoteAddress && headers.isTold('x-forwarded-for')) {
    headers.set('x-forwarded-for', withCommas([...headers.get('x-forwarded-for'), connection.source]));
  }
  if (usesRemoteAddress && view.knowsRemote) {
    headers.set('x-envoy-external-address', view.remoteText);
  }
  const lacksProtocol = headers.isTold('x-forwarded-proto') && !headers.has('x-forwarded-proto');
  if (lacksProtocol || (usesRemoteAddress && trustedHops === 0)) {
    headers.set('x-forwarded-proto', connection.tls === undefined ? 'http' : 'https');
  }
  if (usesRemoteAddress || !headers.has('x-request-id')) setOpaque(view, 'x-request-id');
  tellIdentity(manager, view);
}

function setOpaque(view: RequestView, name: string): void {
  view.headers.set(name, '');
  view.setOpaque(name);
}

/** A client's own word of who it is goes no further, if it is not to be believed. */
function tellIdentity({ certificates }: HttpManager, view: RequestView): void {
  const { connection, headers } = view;
  const name = 'x-forwarded-client-cert';
  const hasIdentity = connection.tls?.identities !== undefined;
  if (certificates === 'keep' || (certificates === 'forward' && hasIdentity)) return;
  const isSet = hasIdentity && (certificates === 'set' || certificates === 'append');
  headers.delete(name);
  view.setOpaque(name, false);
  if (!isSet) return;
  setOpaque(view, name);
}
