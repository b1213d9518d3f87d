import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** Passes TCP connections of loopback on, to one place after another, and counts their bytes. */
export class CountingRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #targetPort = 0;
  #counted = { up: 0, down: 0 };

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#pass(socket));
  }

  static async start(): Promise<CountingRelay> {
    const relay = new CountingRelay(createServer());
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }

  /** Bytes to the target and from it since it was the target, as TCP carries them. */
  get counted(): { readonly up: number; readonly down: number } {
    return this.#counted;
  }

  /** Connections go there from now on; those that are open are broken. */
  leadTo(port: number): void {
    this.#targetPort = port;
    this.#counted = { up: 0, down: 0 };
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(from: Socket): void {
    const to = createConnection(this.#targetPort, '127.0.0.1');
    const counted = this.#counted;
    from.on('data', (bytes) => {
      counted.up += bytes.length;
    });
    to.on('data', (bytes) => {
      counted.down += bytes.length;
    });
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
