import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { ServerAddress } from './exchange.ts';
import { parseQuery, type Query, shorten } from './message.ts';

/** The most that fits into a datagram of IPv4. */
const longestDatagram = 65_507;

/** Serves over UDP: answers that are longer than the client takes are cut and marked. Rejects when it cannot bind. */
export async function serveUdp(
  { address, port }: ServerAddress,
  answer: (query: Query) => Promise<Buffer>,
): Promise<Socket> {
  const socket = createSocket({ ...(isIPv6(address) ? { type: 'udp6', ipv6Only: true } : { type: 'udp4' }) });
  let isClosed = false;
  socket.on('close', () => {
    isClosed = true;
  });
  socket.on('message', async (message, client) => {
    const query = parseQuery(message);
    if (query === undefined) return;
    const bytes = Buffer.isBuffer(query)
      ? query
      : shorten(await answer(query), Math.min(query.udpSize, longestDatagram));
    // The client may be gone: nobody else has to know.
    if (!isClosed) socket.send(bytes, client.port, client.address, () => undefined);
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
