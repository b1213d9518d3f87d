import type { Duplex } from 'node:stream';
import type { HttpRequest } from '../access/request.ts';
import { answerTimeoutMs, ended, endingOf, type GaugeClient, type RawAnswer } from './client.ts';

/** Requests over HTTP/1.1 on one connection, byte for byte as they are given. */
export class Http1Client implements GaugeClient {
  readonly #socket: Duplex;
  #received: Buffer = Buffer.alloc(0);
  #ending: string | undefined;
  #wake: () => void = () => {};

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const end = (how: string) => (): void => {
      this.#ending ??= how;
      this.#wake();
    };
    socket.on('end', end('end'));
    socket.on('close', end('end'));
    socket.on('error', (error: NodeJS.ErrnoException) => end(endingOf(error))());
  }

  async send({ method, path, authority, headers }: HttpRequest): Promise<RawAnswer> {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `host: ${authority}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
    this.#socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
    for (;;) {
      const answer = this.#read(method);
      if (answer !== undefined) return answer;
      if (this.#ending !== undefined) return ended(this.#ending);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          this.#ending ??= 'no answer';
          resolve();
        }, answerTimeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** In bytes, with what frames it; undefined where it is not whole yet. */
  #bodyLength(headers: RawAnswer['headers'], from: number): number | undefined {
    if (headers.get('transfer-encoding') !== 'chunked') return Number(headers.get('content-length') ?? 0);
    for (let at = from; ; ) {
      const end = this.#received.indexOf('\r\n', at);
      if (end === -1) return undefined;
      const size = Number.parseInt(this.#received.toString('latin1', at, end), 16);
      at = end + 2 + size + 2;
      if (size === 0) return at - from;
    }
  }

  /** One whole answer, once it is there; what the server says before it, such as 100, is no answer. */
  #read(method: string): RawAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    if (/^HTTP\/1\.[01] 1(?!01)/.test(this.#received.toString('latin1', 0, 12))) {
      this.#received = this.#received.subarray(end + 4);
      return this.#read(method);
    }
    const [first = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n');
    const headers = new Map(
      lines.map((line) => {
        const at = line.indexOf(':');
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
      }),
    );
    const status = Number(first.split(' ')[1]);
    const length = method === 'HEAD' ? 0 : this.#bodyLength(headers, end + 4);
    if (length === undefined || this.#received.length < end + 4 + length) return undefined;
    this.#received = this.#received.subarray(end + 4 + length);
    return { status, headers, isLast: headers.get('connection') === 'close' };
  }
}
