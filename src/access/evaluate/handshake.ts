import type { Chain, ServerTls } from '../lift/listener.ts';
import type { Outcome } from '../outcome.ts';
import type { ClientTls, Connection, HttpRequest } from '../request.ts';
import { closedWith } from './closed.ts';

export interface Handshake {
  /** The connection as the filters see it. */
  readonly arriving: Connection;
  /** TLS of the client that the chain does not end: it goes on as bytes. */
  readonly onward: ClientTls | undefined;
  /** Why the server ends the handshake; undefined where it does not. */
  readonly refusal: Outcome | undefined;
}

/**
 * What becomes of a client's TLS at a filter chain. Plaintext on a chain of TLS is no handshake. Filters know the server name
 * from the inspector of TLS alone, so `isInspected` says whether there is one on the connection's port. `opening` is the first
 * request of the connection.
 */
export function shakeHands(
  { tls }: Chain,
  connection: Connection,
  isInspected: boolean,
  opening: HttpRequest | undefined,
): Handshake {
  const { source, destination, tls: client, protocol } = connection;
  if (client === undefined) {
    const refusal = tls === undefined ? undefined : closedWith(plaintextExits(connection, opening), 'plaintext on TLS');
    return { arriving: connection, onward: undefined, refusal };
  }
  const serverName = isInspected ? client.serverName : undefined;
  if (tls === undefined) {
    // TLS that the chain does not end is bytes to it, and nobody is known by a certificate.
    const onward = { ...client, identities: undefined };
    return {
      arriving: { source, destination, tls: { ...onward, serverName }, protocol: 'bytes' },
      onward,
      refusal: undefined,
    };
  }
  // A certificate that nobody checks says nothing.
  const identities = tls.root === undefined ? undefined : client.identities;
  const arriving: Connection = { source, destination, tls: { serverName, alpn: client.alpn, identities }, protocol };
  return { arriving, onward: undefined, refusal: refusalOf(tls, client, protocol) };
}

/**
 * Envoy's TLS knows some beginnings of plain HTTP, and ends the connection. Anything else it answers with an alert, which
 * curl takes for an answer of HTTP/0.9 (1), or for no HTTP/2.
 */
function plaintextExits({ protocol }: Connection, opening: HttpRequest | undefined): readonly number[] {
  if (protocol === 'h2') return [18, 55, 56];
  if (protocol === 'bytes' || opening === undefined) return [52, 56];
  const { method, path } = opening;
  return knownBeginnings.some((beginning) => `${method} ${path}`.startsWith(beginning)) ? [52] : [1];
}

const knownBeginnings = ['GET ', 'POST ', 'HEAD ', 'PUT ', 'CONNE'];

function refusalOf(tls: ServerTls, { identities }: ClientTls, protocol: Connection['protocol']): Outcome | undefined {
  if (tls.root === undefined) return undefined;
  if (identities === undefined) {
    return tls.requiresCertificate ? closedWith(handshakeExits[protocol], 'no client certificate') : undefined;
  }
  const isTrusted = tls.root === 'mesh' && (tls.identities.length === 0 || isAccepted(tls, identities));
  return isTrusted ? undefined : closedWith(handshakeExits[protocol], 'client certificate refused');
}

function isAccepted(tls: ServerTls, identities: readonly string[]): boolean {
  for (const uri of identities) for (const wanted of tls.identities) if (wanted.matches(uri)) return true;
  return false;
}

/**
 * A client of TLS 1.3 has sent its certificate and thinks that it is connected: whether it has sent a request, too, when the
 * alert and the reset arrive is a matter of time. With TLS 1.2 it is 35.
 */
const handshakeExits: Readonly<Record<Connection['protocol'], readonly number[]>> = {
  'http/1.1': [35, 55, 56],
  h2: [16, 35, 55, 56],
  bytes: [35, 55, 56],
};
