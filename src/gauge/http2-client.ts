import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { HttpRequest } from '../access/request.ts';
import { answerTimeoutMs, ended, endingOf, type GaugeClient, type RawAnswer } from './client.ts';

/** Requests over HTTP/2 on one connection. */
export class Http2Client implements GaugeClient {
  readonly #session: ClientHttp2Session;
  readonly #ended: Promise<RawAnswer>;

  constructor(socket: Duplex) {
    this.#session = connect('http://gate', { createConnection: () => socket });
    this.#ended = new Promise((resolve) => {
      const end = (how: string) => (): void => resolve(ended(how));
      socket.on('error', (error: NodeJS.ErrnoException) => end(endingOf(error))());
      socket.on('close', end('end'));
      // The socket has told of it.
      this.#session.on('error', (error: NodeJS.ErrnoException) => end(endingOf(error))());
    });
  }

  async send(request: HttpRequest): Promise<RawAnswer> {
    return Promise.race([this.#ended, this.#answerTo(request)]);
  }

  close(): void {
    this.#session.destroy();
  }

  #answerTo({ method, path, authority, headers }: HttpRequest): Promise<RawAnswer> {
    const pseudo = { ':method': method, ':path': path, ':authority': authority, ':scheme': 'http' };
    return new Promise((resolve) => {
      const stream = this.#session.request({ ...pseudo, ...joined(headers) }, { endStream: true });
      stream.setTimeout(answerTimeoutMs, () => resolve(ended('no answer')));
      stream.on('response', (fields) => resolve(answerOf(fields)));
      stream.on('error', (error: NodeJS.ErrnoException) => resolve(ended(endingOf(error))));
      stream.on('close', () => resolve(ended('reset')));
      stream.resume();
    });
  }
}

function joined(headers: HttpRequest['headers']): Record<string, string | string[]> {
  const lines: Record<string, string[]> = {};
  for (const [name, value] of headers) lines[name.toLowerCase()] = [...(lines[name.toLowerCase()] ?? []), value];
  return Object.fromEntries(
    Object.entries(lines).map(([name, [only = '', ...more]]) => [name, more.length === 0 ? only : [only, ...more]]),
  );
}

function answerOf(fields: IncomingHttpHeaders & IncomingHttpStatusHeader): RawAnswer {
  const headers = new Map(Object.entries(fields).map(([name, value]) => [name, String(value)] as const));
  return { status: Number(fields[':status']), headers, isLast: false };
}
