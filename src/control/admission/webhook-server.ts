import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PlainLog } from '../../lib/log.ts';
import { readTarget } from '../debug/debug-reply.ts';
import type { Address } from '../server/address.ts';
import type { CertificateSource } from '../server/certificate-provider.ts';
import { type HttpsServer, startHttpsServer } from '../server/https-server.ts';
import type { WebhookName } from './admission-messages.ts';
import type { AdmissionThread } from './admission-thread.ts';
import type { AdmissionEvent, AdmissionReply } from './answer-review.ts';
import { logAdmission } from './log-admission.ts';
import { readWebhookPath } from './webhook-path.ts';

/** Told of what becomes of requests; `undefined`: it was no review, or nobody could answer it. */
export type AdmissionObserver = (webhook: WebhookName, event: AdmissionEvent | undefined) => void;

export interface WebhookServerOptions {
  readonly address: Address;
  readonly certificates: CertificateSource;
  readonly thread: Pick<AdmissionThread, 'ask'>;
  readonly observe: AdmissionObserver;
  readonly log: PlainLog;
}

/** Larger than any object that an API server stores, twice (before and after). */
const longestBody = 8 << 20;
/** API servers have a few connections each, with many requests. */
const mostConnections = 512;
const requestTimeoutMs = 10_000;
/** API servers keep connections for 90 s: whoever closes them earlier makes them begin new ones, with a TLS handshake each. */
const keepAliveTimeoutMs = 100_000;

/**
 * Serves webhooks to API servers, which show no certificate: whoever asks gets the answer that its own text deserves. Of the
 * mesh it learns what decides that: whether a Gateway or class of a name is served here, and the settings by which pods get
 * proxies. `GET /ready` says that it serves.
 */
export function startWebhookServer({ thread, observe, log, ...options }: WebhookServerOptions): Promise<HttpsServer> {
  const desk = new Desk(thread, observe, log);
  return startHttpsServer({
    ...{ ...options, requestTimeoutMs, keepAliveTimeoutMs, mostConnections, maxHeaderSize: 16_384 },
    onRequest: (request, response) => void desk.serve(request, response),
  });
}

class Desk {
  readonly #thread: Pick<AdmissionThread, 'ask'>;
  readonly #observe: AdmissionObserver;
  readonly #log: PlainLog;

  constructor(thread: Pick<AdmissionThread, 'ask'>, observe: AdmissionObserver, log: PlainLog) {
    this.#thread = thread;
    this.#observe = observe;
    this.#log = log;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const { status, body } = await this.#replyTo(request);
    const text = `${body}\n`;
    response.writeHead(status, {
      // Without a length the head and each part of the body become packets, and records of TLS, of their own.
      ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      // What is left of a body that is too long is not read.
      ...(status === 413 && { connection: 'close' }),
    });
    response.end(text);
    request.resume();
  }

  async #replyTo(request: IncomingMessage): Promise<Pick<AdmissionReply, 'status' | 'body'>> {
    const path = readTarget(request.url)?.pathname ?? '';
    if (path === '/ready') return { status: 200, body: '{"ready":true}' };
    const asked = readWebhookPath(path);
    if (typeof asked === 'string') return failure(404, asked);
    const { webhook, location } = asked;
    const text = await textOf(request);
    if (typeof text !== 'string') {
      this.#observe(webhook, undefined);
      return text;
    }
    try {
      const reply = await this.#thread.ask(request.socket.remoteAddress ?? '', { webhook, text, location });
      this.#observe(webhook, reply.told);
      if (reply.told !== undefined) logAdmission(this.#log, reply.told);
      return reply;
    } catch (error) {
      this.#observe(webhook, undefined);
      return failure(503, (error as Error).message);
    }
  }
}

function failure(status: number, error: string): Pick<AdmissionReply, 'status' | 'body'> {
  return { status, body: JSON.stringify({ error }) };
}

/** The text of a request; a reply where it has none that is read. */
async function textOf(request: IncomingMessage): Promise<string | Pick<AdmissionReply, 'status' | 'body'>> {
  if (request.method !== 'POST') return failure(405, 'only POST is answered here');
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) return failure(415, 'application/json is expected');
  const tooLong = failure(413, `the body is longer than ${longestBody} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > longestBody) return tooLong;
  const body = await bodyOf(request);
  if (body === 'too long') return tooLong;
  if (body === 'without end') return failure(400, 'the body has no end');
  if (body.length === 0) return failure(400, 'no body found');
  // Other bytes would become replacement characters, so that another object would be judged.
  return isUtf8(body) ? body.toString('utf8') : failure(400, 'the body is not UTF-8');
}

/** Whoever is to get an answer still needs the connection, so that nothing is ended here. */
function bodyOf(request: IncomingMessage): Promise<Buffer | 'too long' | 'without end'> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= longestBody) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve('too long');
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => resolve('without end'));
  });
}
