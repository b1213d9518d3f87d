import type { Chain, ServerTls } from '../lift/listener.ts';
import type { Outcome } from '../outcome.ts';
import type { ClientTls, Connection } from '../request.ts';

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
 * from the inspector of TLS alone, so `isInspected` says whether there is one on the connection's port.
 */
export function shakeHands({ tls }: Chain, connection: Connection, isInspected: boolean): Handshake {
  const { tls: client } = connection;
  if (client === undefined) {
    const refusal = tls === undefined ? undefined : closed([52, 56], 'plaintext on TLS');
    return { arriving: connection, onward: undefined, refusal };
  }
  const serverName = isInspected ? client.serverName : undefined;
  if (tls === undefined) {
    // TLS that the chain does not end is bytes to it, and nobody is known by a certificate.
    const onward = { ...client, identities: undefined };
    return {
      arriving: { ...connection, protocol: 'bytes', tls: { ...onward, serverName } },
      onward,
      refusal: undefined,
    };
  }
  const arriving: Connection = {
    ...connection,
    // A certificate that nobody checks says nothing.
    tls: { ...client, serverName, identities: tls.root === undefined ? undefined : client.identities },
  };
  return { arriving, onward: undefined, refusal: refusalOf(tls, client) };
}

function refusalOf(tls: ServerTls, { identities }: ClientTls): Outcome | undefined {
  if (tls.root === undefined) return undefined;
  if (identities === undefined) {
    return tls.requiresCertificate ? closed(handshakeExits, 'no client certificate') : undefined;
  }
  const isTrusted =
    tls.root === 'mesh' &&
    (tls.identities.length === 0 || identities.some((uri) => tls.identities.some((wanted) => wanted.matches(uri))));
  return isTrusted ? undefined : closed(handshakeExits, 'client certificate refused');
}

/** A client learns late that its certificate is not wanted: which of these it sees is a matter of time. */
const handshakeExits: readonly number[] = [16, 35, 55, 56];

export function closed(exitCodes: readonly number[], details: string): Outcome {
  return { kind: 'closed', exitCodes, details };
}
