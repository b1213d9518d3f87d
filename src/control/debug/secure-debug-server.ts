import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { PlainLog } from '../../lib/log.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { ReaderAuthentication } from '../auth/reader.ts';
import { ControlError } from '../control-error.ts';
import { type Address, formatAddress } from '../server/address.ts';
import type { CertificateSource } from '../server/certificate-provider.ts';
import { type DebugReply, noTarget, readTarget, sendReply } from './debug-reply.ts';
import { answerTo, type DebugAnswers } from './debug-server.ts';
import { scopedAnswers } from './scoped-answers.ts';

export interface SecureDebugOptions {
  readonly address: Address;
  /** What the listener shows, as the other one does. */
  readonly certificates: CertificateSource;
  /** By the header `authorization`, each time it came. */
  readonly authenticate: (authorization: readonly string[]) => Promise<ReaderAuthentication>;
  /** By path, for GET; each reader gets what is of its namespaces. */
  readonly answers: DebugAnswers;
  readonly log: PlainLog;
}

/** A token of 16 KiB, and the rest of a request. */
const longestHeaders = 24_576;
const requestsOfAddress = { perSecond: 5, burst: 30 };
/** What is decoded or compiled for one answer keeps others waiting. */
const costlyOfReader = { perSecond: 1, burst: 5 };
const costly: ReadonlySet<string> = new Set(['/debug/config_dump', '/debug/adsz', '/debug/why']);
const mostKeys = 10_000;

/** Serves the debug answers over TLS to who shows a token that names namespaces. Nothing can be changed over it. */
export async function startSecureDebugServer(
  options: SecureDebugOptions,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { address, certificates, log } = options;
  const desk = new Desk(options);
  const server = createServer(
    { minVersion: 'TLSv1.2', requestTimeout: 10_000, headersTimeout: 5_000, maxHeaderSize: longestHeaders },
    (request, response) => {
      request.resume();
      const reply = desk.reply(request).then(({ status, body }) => {
        const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
        return { status, body, headers: { 'cache-control': 'no-store', ...challenge } };
      });
      void sendReply(response, reply, (error) => log.error('a debug request failed', { error: error.message }));
    },
  );
  server.maxConnections = 128;
  const follow: Parameters<CertificateSource['addIdentityCertificateListener']>[0] = (pair) => {
    if (pair !== null) server.setSecureContext({ cert: pair.certificate, key: pair.privateKey, minVersion: 'TLSv1.2' });
  };
  certificates.addIdentityCertificateListener(follow);
  const port = await listen(server, address);
  return {
    port,
    close: () => {
      certificates.removeIdentityCertificateListener(follow);
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** Looks at who asks, and how often. */
class Desk {
  readonly #options: SecureDebugOptions;
  readonly #byAddress = new TokenBuckets(requestsOfAddress, mostKeys);
  readonly #costly = new TokenBuckets(costlyOfReader, mostKeys);

  constructor(options: SecureDebugOptions) {
    this.#options = options;
  }

  async reply(request: IncomingMessage): Promise<DebugReply> {
    const { authenticate, answers, log } = this.#options;
    const peer = request.socket.remoteAddress ?? '';
    if (!this.#byAddress.take(peer, performance.now())) return tooMany;
    if (request.method !== 'GET') return { status: 405, body: { error: 'only GET is answered here' } };
    const { reader, problem = '', ...rest } = await authenticate(request.headersDistinct.authorization ?? []);
    if (reader === undefined) {
      log.warn('a debug request is refused', { peer, reason: problem });
      if ('isOurFault' in rest && rest.isOurFault)
        return { status: 503, body: { error: 'tokens cannot be verified now' } };
      return { status: 401, body: { error: 'a bearer token is needed that names namespaces' } };
    }
    const target = readTarget(request.url);
    if (target === undefined) return noTarget;
    const { pathname } = target;
    const { subject } = reader;
    if (costly.has(pathname) && !this.#costly.take(subject, performance.now())) return tooMany;
    const reply = await answerTo(request, scopedAnswers(answers, reader), {});
    log.info('a debug request is answered', { peer, subject, path: pathname, status: reply.status });
    return reply;
  }
}

const tooMany: DebugReply = { status: 429, body: { error: 'too many requests; try again later' } };

function listen(server: Server, address: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new ControlError('listen-failed', `cannot serve ${formatAddress(address)}`, { cause }));
    });
    const done = (): void => {
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : address.port);
    };
    if (address.host === '') server.listen(address.port, done);
    else server.listen(address.port, address.host, done);
  });
}
