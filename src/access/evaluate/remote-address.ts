import type { HttpManager } from '../lift/http-manager.ts';
import { isIpAddress } from '../model/address-block.ts';
import type { HeaderLines } from '../model/header-lines.ts';
import type { Connection } from '../request.ts';

/**
 * The client's address as `remote_ip` sees it: the socket's peer, or what forwarding headers tell beyond the proxies that
 * are believed. Without `use_remote_address` and believed proxies that is the last entry, whoever wrote it.
 */
export function remoteAddress(
  { usesRemoteAddress, trustedHops }: Pick<HttpManager, 'usesRemoteAddress' | 'trustedHops'>,
  { source }: Connection,
  headers: HeaderLines,
): string {
  const hops = usesRemoteAddress ? trustedHops - 1 : trustedHops;
  if (hops < 0) return source;
  const lines = headers.get('x-forwarded-for');
  if (lines.length === 0) return source;
  const entries = lines.join(',').split(',');
  const entry = entries.at(-1 - hops)?.trim();
  return entry !== undefined && isIpAddress(entry) ? entry : source;
}
