import type { IncomingMessage } from 'node:http';
import type { PlainLog } from '../../lib/log.ts';
import type { AuthenticateReader } from '../auth/authenticate-reader.ts';
import type { Address } from '../server/address.ts';
import type { CertificateSource } from '../server/certificate-provider.ts';
import { type HttpsServer, startHttpsServer } from '../server/https-server.ts';
import { AskLimits } from './ask-limits.ts';
import { type DebugReply, noTarget, readTarget, sendReply } from './debug-reply.ts';
import { answerTo, type DebugAnswers } from './debug-server.ts';
import { scopedAnswers } from './scoped-answers.ts';

export interface SecureDebugOptions {
  readonly address: Address;
  /** What the listener shows, as the other one does. */
  readonly certificates: CertificateSource;
  readonly authenticate: AuthenticateReader;
  /** By path, for GET; each reader gets what is of its namespaces. */
  readonly answers: DebugAnswers;
  readonly log: PlainLog;
}

/** A token of 16 KiB, and the rest of a request. */
const longestHeaders = 24_576;

/** Serves the debug answers over TLS to readers with a token. Nothing can be changed over it. */
export async function startSecureDebugServer(options: SecureDebugOptions): Promise<HttpsServer> {
  const { address, certificates, log } = options;
  const desk = new Desk(options);
  return await startHttpsServer({
    ...{ address, certificates, maxHeaderSize: longestHeaders, mostConnections: 128 },
    requestTimeoutMs: 10_000,
    onRequest: (request, response) => {
      request.resume();
      const reply = desk.reply(request).then(({ status, body }) => {
        const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
        return { status, body, headers: { 'cache-control': 'no-store', ...challenge } };
      });
      void sendReply(response, reply, (error) => log.error('a debug request failed', { error: error.message }));
    },
  });
}

/** Authenticates readers, and limits their rate. */
class Desk {
  readonly #options: SecureDebugOptions;
  readonly #limits = new AskLimits();

  constructor(options: SecureDebugOptions) {
    this.#options = options;
  }

  async reply(request: IncomingMessage): Promise<DebugReply> {
    const { authenticate, answers, log } = this.#options;
    const peer = request.socket.remoteAddress ?? '';
    if (!this.#limits.mayAsk(peer, performance.now())) return tooMany;
    if (request.method !== 'GET') return { status: 405, body: { error: 'only GET is answered here' } };
    const target = readTarget(request.url);
    const { authorization = [] } = request.headersDistinct;
    const query = target?.searchParams ?? new URLSearchParams();
    const { reader, problem = '', ...rest } = await authenticate({ authorization, address: peer, query });
    if (reader === undefined) {
      log.warn('a debug request is refused', { peer, reason: problem });
      if ('isOurFault' in rest && rest.isOurFault)
        return { status: 503, body: { error: 'tokens cannot be verified now' } };
      return { status: 401, body: { error: 'a bearer token for mesh-debug is needed' } };
    }
    if (target === undefined) return noTarget;
    const { pathname, searchParams } = target;
    const { subject } = reader;
    if (!this.#limits.mayHave(reader, pathname, searchParams.get('proxy'), performance.now())) return tooMany;
    const reply = await answerTo(request, scopedAnswers(answers, reader), {});
    log.info('a debug request is answered', { peer, subject, path: pathname, status: reply.status });
    return reply;
  }
}

const tooMany: DebugReply = { status: 429, body: { error: 'too many requests; try again later' } };
