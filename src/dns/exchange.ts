import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { FrameReader, frame } from './frames.ts';
import { isAnswerTo, type Query, withId } from './message.ts';
import type { OwnQueries } from './own-queries.ts';

/** A DNS server by its address; IPv6 may have a zone (`fe80::1%eth0`). */
export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** What one attempt to ask a server is made with. */
export interface Attempt {
  readonly server: ServerAddress;
  readonly query: Query;
  readonly own: OwnQueries;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/**
 * Asks once over UDP, from a port and with an id that nobody can guess (RFC 5452). The socket is connected: the system
 * lets nobody else's packets in, and tells at once when there is nobody.
 */
export function askOverUdp({ server, query, own, signal }: Attempt): Promise<Buffer> {
  const id = randomInt(0x10000);
  const release = own.add(id, query);
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
  return new Promise<Buffer>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    socket.on('error', reject);
    socket.on('message', (message) => {
      if (isAnswerTo(message, id, query)) resolve(message);
    });
    socket.connect(server.port, server.address, (failure?: Error) => {
      if (failure !== undefined) reject(failure);
      else if (!signal.aborted) socket.send(withId(query.bytes, id), (error) => error && reject(error));
    });
  }).finally(() => {
    release();
    socket.close();
  });
}

/** Asks once over a TCP connection of its own: the answer may have any length. */
export function askOverTcp({ server, query, own, signal }: Attempt): Promise<Buffer> {
  const id = randomInt(0x10000);
  const release = own.add(id, query);
  const socket = connect({ host: server.address, port: server.port, noDelay: true });
  return new Promise<Buffer>((resolve, reject) => {
    const reader = new FrameReader();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    socket.on('connect', () => socket.write(frame(withId(query.bytes, id))));
    socket.on('data', (chunk) => {
      const answer = reader.push(chunk).find((message) => isAnswerTo(message, id, query));
      if (answer !== undefined) resolve(answer);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
  }).finally(() => {
    release();
    socket.destroy();
  });
}
