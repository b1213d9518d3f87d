import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { Duplex } from 'node:stream';
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

  #answerTo(request: HttpRequest): Promise<RawAnswer> {
    return new Promise((resolve) => {
      const stream = this.#session.request(fieldsOf(request), { endStream: !hasBody(request.headers) });
      stream.setTimeout(answerTimeoutMs, () => resolve(ended('no answer')));
      stream.on('response', (fields) => resolve(answerOf(fields)));
      stream.on('error', (error: NodeJS.ErrnoException) => resolve(ended(endingOf(error))));
      stream.on('close', () => resolve(ended('reset')));
      stream.resume();
    });
  }
}

function fieldsOf({ method, path, authority, headers }: HttpRequest): OutgoingHttpHeaders {
  return { ':method': method, ':path': path, ':authority': authority, ':scheme': 'http', ...joined(headers) };
}

/** Why this client refuses to send a request, such as for a header that HTTP/2 has not; undefined where it sends it. */
export function refusalOf(request: HttpRequest): string | undefined {
  if (blockBytes(request) > mostOfBlock)
    return 'its headers are more than the 64 KiB that a client of HTTP/2 sends here';
  // Only a session knows; nothing of it leaves this process.
  const nowhere = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const session = connect('http://gate', { createConnection: () => nowhere });
  session.on('error', () => undefined);
  try {
    session.request(fieldsOf(request), { endStream: true }).on('error', () => undefined);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    session.destroy();
  }
}

/** Larger blocks of headers end their stream in this process (nghttp2's NGHTTP2_MAX_HEADERSLEN). */
const mostOfBlock = 65_536;

/** Most bytes of the block of headers, as nghttp2 estimates them before it compresses (nghttp2_hd_deflate_bound). */
function blockBytes(request: HttpRequest): number {
  const lines = Object.entries(fieldsOf(request)).flatMap(([name, value]) =>
    [value ?? ''].flat().map((one) => name.length + String(one).length + 12),
  );
  return lines.reduce((sum, bytes) => sum + bytes, 12 + 5);
}

/**
 * Whether the headers tell of a body. The stream then stays open for it, as the answer does not depend on it: Envoy resets a
 * stream that ends before the length that it was told.
 */
export function hasBody(headers: HttpRequest['headers']): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'content-length' && !/^0*$/.test(value));
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
