import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { ClientTls } from '../access/request.ts';
import type { WorkloadCertificate } from '../control/ca/temporary-authority.ts';

/** TLS of a client on a socket, with the certificate of its identity. The server's certificate is not looked at. */
export function secured(
  socket: Socket,
  { alpn, identities, serverName }: ClientTls,
  certificates: Readonly<Record<string, WorkloadCertificate>>,
): TLSSocket {
  const own = certificates[identities?.[0] ?? ''];
  return connect({
    socket,
    ...(own !== undefined && { cert: own.certificateChain, key: own.privateKey }),
    rejectUnauthorized: false,
    ...(alpn.length > 0 && { ALPNProtocols: [...alpn] }),
    ...(serverName !== undefined && { servername: serverName }),
  });
}
