import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { firstAnswer } from '../lib/first-answer.ts';
import { KeySetError, quotedUrl } from './fault.ts';
import { type CheckedTarget, hostOf } from './target.ts';

/** One answer; redirects are the caller's to follow. */
export interface TransportAnswer {
  readonly status: number;
  /** The header `location` as it came. */
  readonly location?: string | undefined;
  /** The header `retry-after` as it came. */
  readonly retryAfter?: string | undefined;
  /** Empty unless the status is 200. */
  readonly body: Buffer;
}

interface TrustedRoots {
  /** PEM; undefined: Node's alone. */
  readonly extraRoots?: string | undefined;
  /** What counts beside the extra ones, PEM each; Node's by default. */
  readonly ownRoots?: readonly string[];
}

/** One GET to the checked addresses, which gives up on a body of more than `maxBytes`; throws `KeySetError`. */
export type Transport = (target: CheckedTarget, maxBytes: number, signal: AbortSignal) => Promise<TransportAnswer>;

/**
 * HTTP/1.1 over node:http and node:https: TLS 1.2 or later, always verified, against Node's roots and `extraRoots`
 * (PEM). Proxy variables have no effect (an agent of its own never reads them), no connection is kept, and nothing of
 * a former answer (cookies, credentials) is sent.
 */
export function createTransport({ extraRoots, ownRoots = rootCertificates }: TrustedRoots = {}): Transport {
  const ca = extraRoots === undefined ? undefined : [...ownRoots, extraRoots];
  return async (target, maxBytes, signal) => {
    try {
      const response = await sendGet(target, ca, signal);
      const { statusCode: status = 0, headers } = response;
      if (status === 200) return { status, body: await readBody(response, target.url, maxBytes) };
      response.destroy();
      return { status, location: headers.location, retryAfter: headers['retry-after'], body: Buffer.alloc(0) };
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof KeySetError) throw cause;
      // The code alone: messages of TLS errors quote what the other side sent.
      const { code = 'broken answer' } = cause as NodeJS.ErrnoException;
      throw new KeySetError('unreachable', `cannot read ${quotedUrl(target.url)} (${code})`, { cause });
    }
  };
}

function sendGet(
  target: CheckedTarget,
  ca: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { url } = target;
  const host = hostOf(url);
  const shared = {
    method: 'GET',
    headers: { accept: 'application/json, application/jwk-set+json', 'accept-encoding': 'identity' },
    lookup: handOut(target.addresses),
    signal,
    maxHeaderSize: 16_384,
  };
  const tls = {
    minVersion: 'TLSv1.2' as const,
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca: [...ca] }),
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
  const request =
    url.protocol === 'https:'
      ? requestHttps(url, { ...shared, ...tls, agent: new HttpsAgent({ keepAlive: false }) })
      : requestHttp(url, { ...shared, agent: new HttpAgent({ keepAlive: false }) });
  const answer = firstAnswer(request);
  request.end();
  return answer;
}

/** Gives the socket the addresses that were checked, so that no second DNS answer can differ from the first. */
function handOut(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const wanted = answers.filter(({ family }) => !options.family || options.family === family);
    const [first] = wanted;
    if (options.all) callback(null, wanted);
    else if (first) callback(null, first.address, first.family);
    else callback(Object.assign(new Error('no address of this family'), { code: 'ENOTFOUND' }), '');
  };
}

async function readBody(response: IncomingMessage, url: URL, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): KeySetError =>
    new KeySetError('answer-too-large', `the answer of ${quotedUrl(url)} is larger than ${maxBytes} bytes`);
  try {
    const encoding = response.headers['content-encoding'] ?? 'identity';
    // Not asked for, and a few bytes can unpack to gigabytes.
    if (encoding !== 'identity') {
      throw new KeySetError('answer-invalid', `the answer of ${quotedUrl(url)} is compressed`);
    }
    if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    response.destroy();
  }
}
