import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** How long an answer may take on a machine that is busy. */
const timeoutMs = 60_000;

/** Sends queries to one server over one UDP socket, each under an id of its own, and gives the answers. */
export class QuerySender {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: Buffer) => void>();
  #id = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (message) => {
      this.#waiting.get(message.readUInt16BE(0))?.(message);
    });
  }

  static async to(port: number): Promise<QuerySender> {
    const socket = createSocket('udp4');
    socket.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new QuerySender(socket);
  }

  /** Rejects where no answer comes; the query's id is replaced. */
  ask(query: Buffer): Promise<Buffer> {
    this.#id = (this.#id + 1) & 0xffff;
    const id = this.#id;
    const bytes = Buffer.from(query);
    bytes.writeUInt16BE(id, 0);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${query.toString('hex')}`)), timeoutMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      });
      this.#socket.send(bytes);
    });
  }

  close(): void {
    this.#socket.close();
  }
}
