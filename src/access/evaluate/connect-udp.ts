import { protocolIn, readConnectionHeader } from '../model/connection-header.ts';
import { unescaped } from '../model/query.ts';
import type { Outcome } from '../outcome.ts';
import type { HttpRequest } from '../request.ts';
import { answered } from './answer.ts';
import { linesOf } from './head-text.ts';

/** Whether a request over HTTP/1.1 asks for a tunnel for UDP (RFC 9298); Envoy looks at `upgrade` alone. */
export function asksForUdp({ headers }: HttpRequest): boolean {
  const lines = linesOf(headers, 'upgrade');
  return lines.length > 0 && protocolIn(lines) === 'connect-udp';
}

/** The answer to such a request whose path does not name host and port as RFC 9298 wants it; undefined where it does. */
export function checkUdpTarget({ path, headers }: HttpRequest): Outcome | undefined {
  const [, host = ''] = /^\/\.well-known\/masque\/udp\/([^/]+)\/[^/]+\/$/.exec(path) ?? [];
  if (host === '' || unescaped(host).includes('%')) return answered(404, 'invalid_path');
  // Its host is the one of the path from here on.
  const changes = readConnectionHeader(linesOf(headers, 'connection')).upgrades;
  return changes ? undefined : { kind: 'unmodelled', at: 'connect-udp without a change of the protocol' };
}
