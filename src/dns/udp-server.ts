import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { ServerAddress } from './exchange.ts';

/** The most that fits into a datagram of IPv4. */
export const longestDatagram = 65_507;

/** What becomes of a datagram: the one that its sender gets; undefined: none. */
export type ReceiveDatagram = (message: Buffer, sender: RemoteInfo) => Promise<Buffer | undefined> | Buffer | undefined;

/** Serves over UDP. An address of IPv6 is of that family alone, but for `::`. Rejects when it cannot bind. */
export async function serveUdp({ address, port }: ServerAddress, receive: ReceiveDatagram): Promise<Socket> {
  const ipv6Only = address !== '::';
  const socket = createSocket({ ...(isIPv6(address) ? { type: 'udp6', ipv6Only } : { type: 'udp4' }) });
  let isClosed = false;
  socket.on('close', () => {
    isClosed = true;
  });
  socket.on('message', async (message, client) => {
    const answer = await receive(message, client);
    // The client may be gone: nobody else has to know.
    if (answer !== undefined && !isClosed) socket.send(answer, client.port, client.address, () => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address, port, exclusive: true }, () => {
      socket.off('error', reject);
      resolve();
    });
  }).catch((error) => {
    socket.close();
    throw error;
  });
  // Errors of one datagram (ICMP) are not the server's.
  socket.on('error', () => undefined);
  return socket;
}
