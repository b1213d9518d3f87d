import { createServer, type Server, type Socket } from 'node:net';
import type { ServerAddress } from './exchange.ts';
import { FrameReader, frame } from './frames.ts';

/** Queries of one connection that are answered at one time; it is not read from while there are more. */
const mostQueries = 64;
/** The connections of a server. */
export interface StreamLimits {
  readonly mostConnections: number;
  /** A connection without queries is closed after so long (RFC 7766 6.2.3). */
  readonly idleMs: number;
}

const usualLimits: StreamLimits = { mostConnections: 256, idleMs: 10_000 };

/** What becomes of a message: the one that its sender gets; undefined: its connection is closed. */
export type ReceiveMessage<S extends Socket = Socket> = (
  message: Buffer,
  sender: S,
) => Promise<Buffer | undefined> | Buffer | undefined;

export interface TcpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves over TCP: queries may follow each other at once, answers come as they are ready (RFC 7766). */
export function serveTcp(
  where: ServerAddress,
  receive: ReceiveMessage,
  limits: StreamLimits = usualLimits,
): Promise<TcpServer> {
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  return serveStreams(server, 'connection', where, receive, limits);
}

/** Serves the sockets of a server, each when the event tells of it; the server is bound here. */
export async function serveStreams<S extends Socket>(
  server: Server,
  event: 'connection' | 'secureConnection',
  { address, port }: ServerAddress,
  receive: ReceiveMessage<S>,
  limits: StreamLimits,
): Promise<TcpServer> {
  const places = new Places(limits.mostConnections);
  // Those too whose handshake is under way.
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on(event, (socket: S) => {
    if (places.take(socket)) serveConnection(socket, receive, places, limits.idleMs);
  });
  await listen(server, address, port);
  return {
    port: (server.address() as { readonly port: number }).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/**
 * The connections that are held; one without a query gives way to a newcomer, so that nobody locks others out by being
 * idle.
 */
class Places {
  readonly #held = new Set<Socket>();
  /** Those without a query, the longest so first. */
  readonly #idle = new Set<Socket>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** False when all places are in use by queries; the newcomer is closed then. */
  take(socket: Socket): boolean {
    if (this.#held.size >= this.#most) {
      const [longest = socket] = this.#idle;
      this.#leave(longest);
      longest.destroy();
      if (longest === socket) return false;
    }
    this.#held.add(socket);
    this.#idle.add(socket);
    socket.on('close', () => this.#leave(socket));
    return true;
  }

  /** Its first query under way has come. */
  work(socket: Socket): void {
    this.#idle.delete(socket);
  }

  /** Its last query under way is answered. */
  rest(socket: Socket): void {
    if (this.#held.has(socket)) this.#idle.add(socket);
  }

  #leave(socket: Socket): void {
    this.#held.delete(socket);
    this.#idle.delete(socket);
  }
}

function serveConnection<S extends Socket>(
  socket: S,
  receive: ReceiveMessage<S>,
  places: Places,
  idleMs: number,
): void {
  const reader = new FrameReader();
  let running = 0;
  let isHalfClosed = false;
  const readOn = (): void => {
    if (running < mostQueries && !socket.writableNeedDrain) socket.resume();
  };
  const ask = async (message: Buffer): Promise<void> => {
    running += 1;
    places.work(socket);
    const answer = await receive(message, socket);
    running -= 1;
    if (running === 0) places.rest(socket);
    if (socket.destroyed) return;
    // What cannot be answered would leave the client waiting.
    if (answer === undefined) {
      socket.destroy();
      return;
    }
    socket.write(frame(answer));
    if (running === 0 && isHalfClosed) socket.end();
    else readOn();
  };
  socket.setTimeout(idleMs, () => running === 0 && socket.destroy());
  socket.on('data', (chunk) => {
    for (const message of reader.push(chunk)) void ask(message);
    if (running >= mostQueries || socket.writableNeedDrain) socket.pause();
  });
  socket.on('drain', readOn);
  socket.on('end', () => {
    isHalfClosed = true;
    if (running === 0) socket.end();
  });
  socket.on('error', () => socket.destroy());
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, ipv6Only: host !== '::', exclusive: true }, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });
}
