/**
 * The wait that a header `retry-after` asks for, in milliseconds: a number of seconds, or a date (RFC 9110, section
 * 10.2.3) seen from `nowMs` of Unix time. Undefined for anything else.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const dateMs = /^[A-Za-z]{3,9},? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
