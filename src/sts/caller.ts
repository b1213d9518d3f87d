/** What is known of who calls. */
export interface Caller {
  readonly remoteAddress: string | undefined;
  /** Names and values in turn, as they came over the wire. */
  readonly rawHeaders: readonly string[];
}

/** From there Envoy calls on behalf of whoever called it. */
const passedOn = /^(::ffff:)?127\.0\.0\.6$|^::6$/i;

/**
 * Why a caller gets nothing, whatever it asks; undefined for a program of this machine that means this very server. A page
 * in a browser is none: it sends its origin, and reaches us only by a name that is not ours (DNS rebinding).
 */
export function callerProblem({ remoteAddress = '', rawHeaders }: Caller): string | undefined {
  if (passedOn.test(remoteAddress)) return 'requests that the proxy passes on are not answered';
  const values = (wanted: string): readonly string[] =>
    rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === wanted);
  if (values('origin').length > 0) return 'requests of web pages are not answered';
  const [host, ...more] = values('host');
  if (host === undefined || more.length > 0) return 'a request has one Host';
  if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host)) return 'Host must be localhost, 127.0.0.1 or [::1]';
  return undefined;
}
