import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Clock } from '../lib/clock.ts';
import { firstAnswer } from '../lib/first-answer.ts';
import { plainWords } from './plain-words.ts';
import { ExchangeError } from './token-manager.ts';

/** One call of the cloud, built anew for each attempt. */
export interface CloudCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** Left out of what the cloud says, should it repeat them. */
  readonly secrets: readonly string[];
}

/** What all calls of one exchange share. */
export interface Exchange {
  /** By the clock's monotonic time. */
  readonly deadlineAtMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** PEM of the roots that the cloud is trusted by; undefined: those of Node. */
  readonly roots: string | undefined;
  /** Before each attempt but the first. */
  readonly onRetry: () => void;
}

const mostAttempts = 5;
const attemptMs = 5_000;
const longestAnswerBytes = 65_536;

/** Statuses from 500 on that another attempt does not mend (RFC 9110, sections 15.6.2 and 15.6.6; RFC 6585, section 6). */
const lastingStatuses: ReadonlySet<number> = new Set([501, 505, 511]);

/**
 * Posts JSON and gives the object that is answered with 200. Faults of the network and of the server are tried again, up to
 * 5 attempts within the deadline, each of 5 s at most. Throws `ExchangeError`.
 */
export async function postJson(call: CloudCall, exchange: Exchange): Promise<Readonly<Record<string, unknown>>> {
  const { clock, signal, deadlineAtMs } = exchange;
  const { host } = new URL(call.url);
  let problem = 'no time is left';
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const leftMs = deadlineAtMs - clock.monotonicMs();
    if (leftMs <= 0 || signal.aborted) break;
    if (attempt > 1) exchange.onRetry();
    const answer = await send(call, Math.min(leftMs, attemptMs), exchange);
    if ('problem' in answer) problem = answer.problem;
    else if (answer.status === 200) return parseAnswer(answer.text, host);
    else {
      problem = `answers ${answer.status}: ${plainWords(answer.text, call.secrets)}`;
      const isLasting = answer.status < 500 || lastingStatuses.has(answer.status);
      if (isLasting) throw new ExchangeError(`${host} ${problem}`, 'refused');
    }
    const waitMs = Math.min(100 * 2 ** (attempt - 1), 1_000) * (0.5 + clock.random() / 2);
    if (attempt === mostAttempts || clock.monotonicMs() + waitMs >= deadlineAtMs) break;
    await clock.sleep(waitMs, signal);
  }
  throw new ExchangeError(`${host} ${problem}`, 'unavailable');
}

type Answer = { readonly status: number; readonly text: string } | { readonly problem: string };

function send(call: CloudCall, ms: number, { roots, signal }: Exchange): Promise<Answer> {
  const body = JSON.stringify(call.body);
  const timeout = AbortSignal.timeout(Math.ceil(ms));
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      if (timeout.aborted) resolve({ problem: `does not answer within ${Math.ceil(ms)} ms` });
      else resolve({ problem: `cannot be asked: ${error.code ?? error.message}` });
    };
    const made = request(call.url, {
      method: 'POST',
      headers: { ...call.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      // A connection of its own, checked whatever the environment says.
      agent: false,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...(roots === undefined ? {} : { ca: roots }),
      signal: AbortSignal.any([signal, timeout]),
    });
    firstAnswer(made)
      .then(async (response) => {
        resolve({ status: response.statusCode ?? 0, text: await readText(response) });
      })
      .catch(fail);
    made.end(body);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > longestAnswerBytes) throw new Error(`its answer is longer than ${longestAnswerBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseAnswer(text: string, host: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // What it is instead may hold a token: it is not told.
  }
  throw new ExchangeError(`${host} answers 200 with something else than a JSON object`, 'malformed');
}
