import type { Connection, HttpRequest } from '../access/request.ts';
import type { SentCase } from '../gauge/gauge-case.ts';
import type { Dice } from './dice.ts';
import { type GaugedMesh, generatedCases } from './gauged-mesh.ts';
import type { TokenBox } from './generated-tokens.ts';

/**
 * Cases of one workload: most over HTTP/1.1, some over HTTP/2, some connections with bytes that are no HTTP, and some requests
 * on connections of their own.
 */
export function variedCases(
  dice: Dice,
  mesh: GaugedMesh,
  tokens: TokenBox['tokens'],
  count: number,
): readonly SentCase[] {
  const overHttp2 = new Map<Connection, boolean>();
  return generatedCases(dice, mesh, tokens, count).map(({ connection, request }): SentCase => {
    const isHttp2 = overHttp2.get(connection) ?? dice.chance(10);
    overHttp2.set(connection, isHttp2);
    const kind = dice.below(100);
    if (kind < 4 && (mesh.role === 'sidecar' || dice.chance(5)))
      return { connection: withBytes(dice, connection, mesh.role), isAlone: true };
    const sent = isHttp2 ? { connection: withHttp2(connection), request: forHttp2(request) } : { connection, request };
    return kind < 12 ? { ...sent, isAlone: true } : sent;
  });
}

/** Most of them where a server expects bytes. */
function withBytes(dice: Dice, connection: Connection, role: GaugedMesh['role']): Connection {
  const { destination } = connection;
  const port = role === 'sidecar' && dice.chance(90) ? 9000 : destination.port;
  return { ...connection, destination: { ...destination, port }, protocol: 'bytes' };
}

/** What a server may take in place of HTTP/1.1 is not offered. */
function withHttp2(connection: Connection): Connection {
  const { tls } = connection;
  const alpn = tls?.alpn.map((name) => (name === 'mesh-http/1.1' ? 'mesh-h2' : name === 'http/1.1' ? 'h2' : name));
  return { ...connection, protocol: 'h2', ...(tls !== undefined && { tls: { ...tls, alpn: alpn ?? [] } }) };
}

/** The nearest request that a client of HTTP/2 sends: it refuses other characters, two lines of some headers, and a
 * request without an authority. */
function forHttp2({ method, path, authority, headers }: HttpRequest): HttpRequest {
  const visible = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, 'x');
  const once = new Map(headers.map(([name, value]) => [name.toLowerCase(), visible(value).trim()] as const));
  return { method, path: visible(path) || '/', authority: authority || 'other', headers: [...once] };
}
