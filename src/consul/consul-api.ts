import { type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { type AgentOptions, request as requestSecure, Agent as SecureAgent } from 'node:https';
import { text } from 'node:stream/consumers';
import { readNamedText } from '../lib/read-file.ts';
import { version } from '../lib/version.ts';
import type { ConsulAddress, ConsulFiles } from './consul-address.ts';
import { ConsulError } from './consul-error.ts';

export interface ConsulQuestion {
  /** Path without a query. */
  readonly path: string;
  /** The answer comes when the index is another, at the latest after `waitMs`; absent: at once. */
  readonly after?: { readonly index: number; readonly waitMs: number } | undefined;
  readonly signal: AbortSignal;
}

export interface ConsulAnswer {
  /** JSON of unknown shape. */
  readonly value: unknown;
  /** Grows with each change of what was asked for; smaller than before when the server lost its state. */
  readonly index: number;
}

const answerMs = 10_000;
/** Larger than the checks of 50,000 instances; a body without an end would take all memory. */
const longestBody = 64 << 20;
/** An answer of a server that has had no contact with its leader for longer is out of date, and is not used. */
const longestContactMs = 60_000;

type Tls = Pick<AgentOptions, 'ca' | 'cert' | 'key'>;

/** Client of the HTTP API of one datacenter of Consul: keeps connections open, and reads its files for each request. */
export class ConsulApi {
  readonly #address: ConsulAddress;
  readonly #isSecure: boolean;
  #agent: { readonly agent: PlainAgent | SecureAgent; readonly tls: Tls } | undefined;

  constructor(address: ConsulAddress) {
    this.#address = address;
    this.#isSecure = address.origin.startsWith('https:');
  }

  /** All that fails is a `ConsulError`. */
  async ask(asked: ConsulQuestion): Promise<ConsulAnswer> {
    const { path, after, signal } = asked;
    // The server adds up to a sixteenth of the wait, so that its clients do not all come at once.
    const deadlineMs = answerMs + Math.ceil((after?.waitMs ?? 0) * (1 + 1 / 16));
    const timer = AbortSignal.timeout(deadlineMs);
    const { answer, body } = await this.#send(path + this.#queryOf(asked), AbortSignal.any([signal, timer])).catch(
      (cause: Error) => {
        if (cause instanceof ConsulError) throw cause;
        const reason = timer.aborted && !signal.aborted ? `no answer within ${deadlineMs / 1_000} s` : cause.message;
        throw new ConsulError('consul-unreachable', `${this.#name(path)}: ${reason}`, { cause });
      },
    );
    const { statusCode = 0 } = answer;
    if (statusCode !== 200) {
      const said = body.trim().slice(0, 300);
      throw new ConsulError(
        'consul-refused',
        `${this.#name(path)}: the answer is ${statusCode}${said && ` (${said})`}`,
      );
    }
    this.#checkAge(path, answer);
    const index = Number(answer.headers['x-consul-index']);
    if (!Number.isSafeInteger(index)) throw this.#unusable(path, 'the answer has no X-Consul-Index');
    try {
      return { value: JSON.parse(body), index };
    } catch {
      throw this.#unusable(path, 'the answer is not JSON');
    }
  }

  close(): void {
    this.#agent?.agent.destroy();
  }

  #queryOf({ after }: ConsulQuestion): string {
    const { datacenter, allowsStale } = this.#address;
    const query = new URLSearchParams();
    if (datacenter !== undefined) query.set('dc', datacenter);
    if (allowsStale) query.set('stale', '');
    if (after !== undefined) {
      query.set('index', String(after.index));
      query.set('wait', `${after.waitMs}ms`);
    }
    return query.size === 0 ? '' : `?${query}`;
  }

  async #send(path: string, signal: AbortSignal): Promise<{ readonly answer: IncomingMessage; readonly body: string }> {
    const { origin, files } = this.#address;
    const token = (await readFilled(files, 'token'))?.trim();
    const headers = { 'user-agent': `mesh/${version}`, ...(token !== undefined && { 'x-consul-token': token }) };
    const agent = await this.#agentNow();
    const send = this.#isSecure ? requestSecure : requestPlain;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      send(origin + path, { agent, headers, signal }, resolve)
        .on('error', reject)
        .end();
    });
    let length = 0;
    answer.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > longestBody) answer.destroy(new Error('the answer has no end'));
    });
    return { answer, body: await text(answer) };
  }

  /**
   * The agent for connections with the certificates and roots that the files have now; connections with earlier ones
   * are not used again.
   */
  async #agentNow(): Promise<PlainAgent | SecureAgent> {
    const { files } = this.#address;
    const [ca, cert, key] = [
      await readFilled(files, 'roots'),
      await readFilled(files, 'certificate'),
      await readFilled(files, 'key'),
    ];
    const kept = this.#agent;
    if (kept !== undefined && kept.tls.ca === ca && kept.tls.cert === cert && kept.tls.key === key) return kept.agent;
    const tls = { ca, cert, key };
    const options = { keepAlive: true };
    try {
      const agent = this.#isSecure ? new SecureAgent({ ...options, ...tls }) : new PlainAgent(options);
      this.#agent = { agent, tls };
      return agent;
    } catch (cause) {
      throw new ConsulError('consul-credentials-unusable', `the certificate of the client: ${String(cause)}`, {
        cause,
      });
    }
  }

  #checkAge(path: string, { headers }: IncomingMessage): void {
    if (headers['x-consul-knownleader'] === 'false')
      throw this.#unusable(path, 'the server that answers knows no leader');
    const ageMs = Number(headers['x-consul-lastcontact'] ?? 0);
    if (ageMs > longestContactMs)
      throw this.#unusable(path, `the server that answers last heard of its leader ${ageMs / 1_000} s ago`);
  }

  #unusable(path: string, what: string): ConsulError {
    return new ConsulError('consul-answer-unusable', `${this.#name(path)}: ${what}`);
  }

  #name(path: string): string {
    const { id, origin } = this.#address;
    return `Consul "${id}", GET ${origin}${path}`;
  }
}

async function readFilled(files: ConsulFiles, what: keyof ConsulFiles): Promise<string | undefined> {
  const path = files[what];
  if (path === undefined) return undefined;
  try {
    const read = await readNamedText(path, 'utf8');
    if (read.trim() !== '') return read;
  } catch (cause) {
    throw new ConsulError('consul-credentials-unusable', `the ${what} of Consul cannot be read`, { cause });
  }
  throw new ConsulError('consul-credentials-unusable', `the file "${path}" (${what} of Consul) is empty`);
}
