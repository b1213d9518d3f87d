import { createServer, type Server, type Socket } from 'node:net';
import type { ServerAddress } from './exchange.ts';
import { FrameReader, frame } from './frames.ts';
import { parseQuery, type Query } from './message.ts';

const mostConnections = 256;
/** Queries of one connection that are answered at one time; it is not read from while there are more. */
const mostQueries = 64;
/** RFC 7766 6.2.3 */
const idleMs = 10_000;

export interface TcpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves over TCP: queries may follow each other at once, answers come as they are ready (RFC 7766). */
export async function serveTcp(
  { address, port }: ServerAddress,
  answer: (query: Query) => Promise<Buffer>,
): Promise<TcpServer> {
  const places = new Places();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    if (places.take(socket)) serveConnection(socket, answer, places);
  });
  await listen(server, address, port);
  return {
    port: (server.address() as { readonly port: number }).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        places.clear();
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

  /** False when all places are in use by queries; the newcomer is closed then. */
  take(socket: Socket): boolean {
    if (this.#held.size >= mostConnections) {
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

  clear(): void {
    for (const socket of this.#held) socket.destroy();
  }

  #leave(socket: Socket): void {
    this.#held.delete(socket);
    this.#idle.delete(socket);
  }
}

function serveConnection(socket: Socket, answer: (query: Query) => Promise<Buffer>, places: Places): void {
  const reader = new FrameReader();
  let running = 0;
  let isHalfClosed = false;
  const readOn = (): void => {
    if (running < mostQueries && !socket.writableNeedDrain) socket.resume();
  };
  const ask = async (message: Buffer): Promise<void> => {
    const query = parseQuery(message);
    // What cannot be answered here would leave the client waiting.
    if (query === undefined) {
      socket.destroy();
      return;
    }
    running += 1;
    places.work(socket);
    const bytes = Buffer.isBuffer(query) ? query : await answer(query);
    running -= 1;
    if (running === 0) places.rest(socket);
    if (socket.destroyed) return;
    socket.write(frame(bytes));
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
    server.listen({ host, port, ipv6Only: true, exclusive: true }, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });
}
