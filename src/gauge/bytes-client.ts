import type { Duplex } from 'node:stream';
import { answerTimeoutMs, ended, endingOf, type GaugeClient, type RawAnswer } from './client.ts';

/** Sends a few bytes that are neither HTTP nor TLS, and waits for whatever comes back, or for the end of the connection. */
export class BytesClient implements GaugeClient {
  readonly #socket: Duplex;
  readonly #ended: Promise<RawAnswer>;

  constructor(socket: Duplex) {
    this.#socket = socket;
    this.#ended = new Promise((resolve) => {
      const end = (how: string) => (): void => resolve(ended(how));
      socket.on('data', end('bytes'));
      socket.on('end', end('end'));
      socket.on('close', end('end'));
      socket.on('error', (error: NodeJS.ErrnoException) => end(endingOf(error))());
      setTimeout(end('no answer'), answerTimeoutMs).unref();
    });
  }

  send(): Promise<RawAnswer> {
    this.#socket.write(Buffer.from([0, 1, 2, 3, 13, 10, 13, 10]));
    return this.#ended;
  }

  close(): void {
    this.#socket.destroy();
  }
}
