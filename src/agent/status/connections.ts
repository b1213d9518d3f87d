import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections of the status port at a time. */
export const maxConnections = 128;

/**
 * Keeps a place free for who comes: at the limit the connection that has been without a request for longest is closed, so
 * that neither idle connections nor requests that never get finished lock readiness out. Answers are bounded elsewhere.
 */
export class Connections {
  /** In the order in which they were last in use. */
  readonly #waiting = new Set<Socket>();
  readonly #busy = new Set<Socket>();

  /** Takes over each new connection of the server. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      if (this.#waiting.size + this.#busy.size >= maxConnections) this.#closeOldest(socket);
      this.#waiting.add(socket);
      socket.once('close', () => {
        this.#waiting.delete(socket);
        this.#busy.delete(socket);
      });
    });
  }

  /** A whole request came over it. */
  begin(socket: Socket): void {
    if (this.#waiting.delete(socket)) this.#busy.add(socket);
  }

  /** Its answer is out. */
  end(socket: Socket): void {
    if (this.#busy.delete(socket) && !socket.destroyed) this.#waiting.add(socket);
  }

  #closeOldest(newest: Socket): void {
    const [oldest = newest] = this.#waiting;
    oldest.destroy();
  }
}
