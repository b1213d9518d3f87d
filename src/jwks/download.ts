import { KeySetError, quotedUrl } from './fault.ts';
import { checkTarget, parseTargetUrl, type TargetRules } from './target.ts';
import type { Transport, TransportAnswer } from './transport.ts';

/** The largest key set or discovery document that is read. */
export const maxAnswerBytes = 1_048_576;
/** A key server that moved redirects once, perhaps twice. */
export const maxRedirects = 3;

export interface DownloadOptions extends TargetRules {
  readonly transport: Transport;
  readonly signal: AbortSignal;
}

/** The JSON text behind a URL, after at most three redirects, each target of which is checked like the first. */
export async function download(start: URL, options: DownloadOptions): Promise<string> {
  let url = start;
  for (let redirects = 0; ; redirects++) {
    const target = await checkTarget(url, options, options.signal);
    const answer = await options.transport(target, maxAnswerBytes, options.signal);
    if (answer.status === 200) return decode(answer.body, url);
    if (!redirectStatuses.has(answer.status)) throw refusedStatus(url, answer);
    if (redirects === maxRedirects) {
      throw new KeySetError('redirect-refused', `${quotedUrl(start)} redirects more than ${maxRedirects} times`);
    }
    url = redirectTarget(url, answer.location);
  }
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function redirectTarget(from: URL, location: string | undefined): URL {
  if (location === undefined) {
    throw new KeySetError('redirect-refused', `${quotedUrl(from)} redirects without saying where`);
  }
  const to = parseTargetUrl(location, from);
  refuseDowngrade(from, to);
  return to;
}

/** What was asked for over https is not taken over http, where anybody on the way could put in keys. */
export function refuseDowngrade(from: URL, to: URL): void {
  if (from.protocol !== 'https:' || to.protocol === 'https:') return;
  throw new KeySetError('redirect-refused', `${quotedUrl(from)} leads to ${quotedUrl(to)}, away from https`);
}

/** Statuses of RFC 9110 and RFC 6585 that say "later": the others will be the same in a second. */
function refusedStatus(url: URL, { status, retryAfter }: TransportAnswer): KeySetError {
  const isTransient = status >= 500 || status === 408 || status === 425 || status === 429;
  return new KeySetError('status-refused', `${quotedUrl(url)} answers ${status}`, { isTransient, retryAfter });
}

function decode(body: Buffer, url: URL): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (cause) {
    throw new KeySetError('answer-invalid', `the answer of ${quotedUrl(url)} is not UTF-8`, { cause });
  }
}
