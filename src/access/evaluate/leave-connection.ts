import type { HttpManager } from '../lift/http-manager.ts';
import { readConnectionHeader, wantedProtocol } from '../model/connection-header.ts';
import type { HeaderLines } from '../model/header-lines.ts';

/** Headers that are for one connection, or for the codec alone. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'upgrade',
  'te',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'host',
  'expect',
]);

/**
 * Removes the headers that are for one connection, and those that the client names as such, before any filter sees them.
 * False if the client wants to change to a protocol to which this connection manager does not.
 */
export function leaveConnection(headers: HeaderLines, { upgrades }: Pick<HttpManager, 'upgrades'>): boolean {
  if (!headers.hasAny(connectionHeaders)) return true;
  const connection = readConnectionHeader(headers.get('connection'));
  const wanted = wantedProtocol(headers.get('connection'), headers.get('upgrade'));
  if (wanted !== undefined && !upgrades.includes(wanted)) return false;
  // Envoy says 100 to the client itself.
  if (headers.get('expect').join(',').toLowerCase() === '100-continue') headers.delete('expect');
  for (const name of ['keep-alive', 'proxy-connection', 'transfer-encoding', 'host']) headers.delete(name);
  // What is to become another protocol keeps all that `connection` names.
  if (wanted !== undefined) return true;
  keepTrailers(headers);
  for (const name of connection.removed) if (name !== 'te') headers.delete(name);
  // Settings of HTTP/2, which nobody changes to.
  if (connection.upgrades && headers.has('upgrade')) headers.delete('http2-settings');
  headers.delete('connection');
  headers.delete('upgrade');
  return true;
}

/** Of `te` nothing else goes on. */
function keepTrailers(headers: HeaderLines): void {
  const [value] = headers.get('te');
  // An empty one is left alone, and the next proxy resets a stream of HTTP/2 that has it.
  if (value === undefined || value === '') return;
  const hasTrailers = value.split(',').some((coding) => coding.trim() === 'trailers');
  headers.delete('te');
  if (hasTrailers) headers.add('te', 'trailers');
}
