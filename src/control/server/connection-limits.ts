import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import { listenersOf } from './listeners.ts';

/** Limits on the number, idle time and age of connections of the TLS listener. */
export interface ConnectionLimits {
  /** Of one client address; agents behind one translated address share it. */
  readonly perAddress: number;
  readonly inAll: number;
  /** From accepting a connection to the end of its TLS handshake. */
  readonly handshakeMs: number;
  /** Without a request in progress. */
  readonly idleMs: number;
  /** After about so long a client is asked to connect anew, and meets another replica then; up to a tenth more or less. */
  readonly ageMs: number;
  /** From asking a client with requests in progress to go to cutting its connection. */
  readonly drainMs: number;
  /** From asking an idle client to go to cutting its connection. */
  readonly leaveMs: number;
}

export const usualConnectionLimits: ConnectionLimits = {
  perAddress: 1_024,
  inAll: 10_000,
  handshakeMs: 10_000,
  idleMs: 60_000,
  ageMs: 1_800_000,
  drainMs: 10_000,
  leaveMs: 5_000,
};

/** Why a connection was closed. */
export type ConnectionRefusal = 'address' | 'total' | 'handshake';

/**
 * Closes connections above the limits, connections whose handshake does not end, and idle connections whose client does not
 * leave when asked to (grpc-js only asks). `refused` gets told of the first two. The server must be bound already.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  refused: (reason: ConnectionRefusal) => void,
): void {
  const counts = new Map<string, number>();
  const open = new Map<string, Connection>();
  const accept = (socket: Socket): void => {
    const { remoteAddress: address = '' } = socket;
    const count = counts.get(address) ?? 0;
    if (open.size >= limits.inAll || count >= limits.perAddress) {
      refused(open.size >= limits.inAll ? 'total' : 'address');
      socket.destroy();
      return;
    }
    counts.set(address, count + 1);
    const deadline = setTimeout(() => {
      refused('handshake');
      socket.destroy();
    }, limits.handshakeMs);
    const connection = { socket, deadline };
    const name = nameOf(socket);
    open.set(name, connection);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 0) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
      clearTimeout(connection.deadline);
      open.delete(name);
    });
  };
  for (const listener of listenersOf(server)) {
    listener.prependListener('connection', accept);
    // First of all listeners: the session that another one makes takes the socket, and its address, over.
    listener.prependListener('secureConnection', (socket) => clearTimeout(open.get(nameOf(socket))?.deadline));
    listener.on('session', (session) => {
      const connection = open.get(nameOf(session.socket));
      if (connection !== undefined) cutWhenIdle(session, connection, limits.idleMs + limits.leaveMs);
    });
  }
}

interface Connection {
  readonly socket: Socket;
  deadline: NodeJS.Timeout;
}

/** A client that is asked to go keeps its half of the connection for as long as it likes. */
function cutWhenIdle(session: ServerHttp2Session, connection: Connection, afterMs: number): void {
  let streams = 0;
  const wait = (): void => {
    if (connection.socket.destroyed) return;
    connection.deadline = setTimeout(() => connection.socket.destroy(), afterMs);
  };
  const leave = (): void => {
    if (--streams === 0) wait();
  };
  wait();
  session.on('stream', (stream) => {
    streams++;
    clearTimeout(connection.deadline);
    // A stream closes once; `once` would keep three objects more for each stream.
    stream.on('close', leave);
  });
}

/** The same for a connection and for the TLS within it. */
function nameOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
