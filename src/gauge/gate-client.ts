import { once } from 'node:events';
import { connect, isIPv6 } from 'node:net';
import type { Connection } from '../access/request.ts';
import type { WorkloadCertificate } from '../control/ca/temporary-authority.ts';
import { BytesClient } from './bytes-client.ts';
import { Http1Client } from './http1-client.ts';
import { Http2Client } from './http2-client.ts';
import { secured } from './secured.ts';
import type { OpenConnection } from './send.ts';

/** The connection of this number to a gate, with the addresses of the case in its PROXY header. */
export async function openAtGate(
  { source, destination, tls, protocol }: Connection,
  { name, port }: { readonly name: string; readonly port: number },
  certificates: Readonly<Record<string, WorkloadCertificate>>,
  count: number,
): Promise<OpenConnection> {
  const localAddress = loopbackAddress(count);
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  await once(socket, 'connect');
  // Whoever uses the socket sees its end.
  socket.on('error', () => undefined);
  socket.setNoDelay(true);
  const ends = `${name} ${localAddress}:${socket.localPort}`;
  const family = isIPv6(source) ? 'TCP6' : 'TCP4';
  socket.write(`PROXY ${family} ${source} ${destination.address} ${clientPort} ${destination.port}\r\n`);
  const carrier = tls === undefined ? socket : secured(socket, tls, certificates);
  return { client: new clients[protocol](carrier), ends };
}

/** One of its own for each connection, where the system has a whole block of them: ports are used again. */
function loopbackAddress(count: number): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  const number = count % (200 * 256 * 200);
  return `127.${1 + Math.floor(number / (256 * 200))}.${Math.floor(number / 200) % 256}.${1 + (number % 200)}`;
}

/** No rule asks for the port of a client. */
const clientPort = 40_000;

/** By what is spoken. */
export const clients = { 'http/1.1': Http1Client, h2: Http2Client, bytes: BytesClient };
