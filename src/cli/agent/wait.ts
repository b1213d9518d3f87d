import { delay, longestTimerMs } from '../../lib/abort.ts';
import { callLoopback } from '../../lib/loopback-call.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { exitCode } from '../exit-codes.ts';
import { readText } from './request.ts';

export interface WaitArguments {
  readonly url: string;
  /** 0 asks once. */
  readonly timeoutSeconds: number;
  readonly requestTimeoutMillis: number;
  readonly periodMillis: number;
}

/**
 * Runs `pilot-agent wait`: asks `url` until it is answered 200, at once and then every period. Gives 1 when the time is
 * over, which no request outlasts, and tells why the proxy was not ready when it was last asked.
 */
export async function runWait(
  { url: text, timeoutSeconds, requestTimeoutMillis, periodMillis }: WaitArguments,
  tell: (text: string) => void,
): Promise<number> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UsageError(`--url is no URL of HTTP: "${text}"`);
  if (requestTimeoutMillis === 0) throw new UsageError('--requestTimeoutMillis is at least 1');
  const patienceMs = Math.min(requestTimeoutMillis, longestTimerMs);
  const deadline = performance.now() + timeoutSeconds * 1_000;
  let reason: string | undefined;
  let left = timeoutSeconds === 0 ? patienceMs : timeoutSeconds * 1_000;
  do {
    const isCut = left < patienceMs;
    const latest = await askOnce(url, Math.ceil(Math.min(patienceMs, left)));
    if (latest.isReady) return exitCode.done;
    // That a request was given less time than it may have says less than what was learned before.
    if (reason === undefined || !isCut || latest.isAnswered) reason = latest.reason;
    left = deadline - performance.now();
    if (left > 0) await delay(Math.min(periodMillis, left));
    left = deadline - performance.now();
  } while (left > 0);
  tell(`pilot-agent: the proxy is not ready after ${timeoutSeconds} s: ${reason}\n`);
  return exitCode.no;
}

type Answer =
  | { readonly isReady: true }
  | { readonly isReady: false; readonly reason: string; readonly isAnswered: boolean };

async function askOnce(url: URL, timeoutMs: number): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const path = `${url.pathname}${url.search}`;
    const answer = await callLoopback({ url, path, method: 'GET', body: '', signal });
    const body = (await readText(answer, 4_096)).trim();
    if (answer.statusCode === 200) return { isReady: true };
    const reason = `${url.href} is answered ${answer.statusCode}${body === '' ? '' : `: ${body}`}`;
    return { isReady: false, reason, isAnswered: true };
  } catch (error) {
    const why = signal.aborted ? ` within ${timeoutMs} ms` : `: ${(error as Error).message}`;
    return { isReady: false, reason: `${url.href} does not answer${why}`, isAnswered: !signal.aborted };
  }
}
