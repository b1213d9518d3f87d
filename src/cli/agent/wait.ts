import { delay, longestTimerMs } from '../../lib/abort.ts';
import { exitCode } from '../exit-codes.ts';
import { UsageError } from '../failure.ts';
import { callLoopback } from './loopback-call.ts';
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
 * over, and tells why the proxy was not ready when it was last asked.
 */
export async function runWait(
  { url: text, timeoutSeconds, requestTimeoutMillis, periodMillis }: WaitArguments,
  tell: (text: string) => void,
): Promise<number> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UsageError(`--url is no URL of HTTP: "${text}"`);
  if (requestTimeoutMillis === 0) throw new UsageError('--requestTimeoutMillis is at least 1');
  const deadline = performance.now() + timeoutSeconds * 1_000;
  for (;;) {
    const reason = await askOnce(url, Math.min(requestTimeoutMillis, longestTimerMs));
    if (reason === undefined) return exitCode.done;
    const left = deadline - performance.now();
    if (left <= 0) {
      tell(`pilot-agent: the proxy is not ready after ${timeoutSeconds} s: ${reason}\n`);
      return exitCode.no;
    }
    await delay(Math.min(periodMillis, left));
  }
}

/** Why the proxy is not ready; undefined when it is. */
async function askOnce(url: URL, timeoutMs: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const path = `${url.pathname}${url.search}`;
    const answer = await callLoopback({ url, path, method: 'GET', body: '', signal });
    const body = (await readText(answer, 4_096)).trim();
    if (answer.statusCode === 200) return undefined;
    return `${url.href} is answered ${answer.statusCode}${body === '' ? '' : `: ${body}`}`;
  } catch (error) {
    return signal.aborted
      ? `${url.href} does not answer within ${timeoutMs} ms`
      : `${url.href} does not answer: ${(error as Error).message}`;
  }
}
