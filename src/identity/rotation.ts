import type { Remedy } from './authority.ts';

/** A certificate in force, and when it came. */
export interface Issued {
  readonly notAfterMs: number;
  /** This machine's clock when the certificate came, not the certificate's own start, which is often set back. */
  readonly issuedAtMs: number;
  readonly issuedAtMonotonicMs: number;
  /** -0.01 to 0.01: a fleet that was started at once does not renew at once. */
  readonly jitter: number;
}

/** Both clocks at one moment. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** No wait is longer: clocks jump, machines sleep, and a timer of more than 24.8 days fires at once. */
const longestSleepMs = 60_000;
const shortestSleepMs = 1_000;
/** Full jitter: an attempt waits a random time up to 200 ms, 400 ms, 800 ms … */
const firstBackoffMs = 200;
const longestBackoffMs = 30_000;
/** No attempt lasts longer: a network that swallows packets would hold it for minutes. */
const longestAttemptMs = 10_000;
/** Ratios of 0 and 1 would renew at the end, and all the time. */
const graceLimits = [0.01, 0.99] as const;

/** How much of the lifetime is left when the certificate is to be renewed, in milliseconds. */
export function graceMs({ notAfterMs, issuedAtMs, jitter }: Issued, graceRatio: number): number {
  const [least, most] = graceLimits;
  const ratio = Math.min(most, Math.max(least, graceRatio * (1 + jitter)));
  return ratio * Math.max(0, notAfterMs - issuedAtMs);
}

/**
 * How long until the certificate is to be renewed; 0 or less: now. By the wall clock, and by the monotonic one too: a
 * wall clock that was set back would let a certificate run out that everybody else sees expire.
 */
export function untilRenewalMs(issued: Issued, graceRatio: number, now: Moment): number {
  const grace = graceMs(issued, graceRatio);
  const byWall = issued.notAfterMs - grace - now.wallMs;
  const byAge = issued.notAfterMs - issued.issuedAtMs - grace - (now.monotonicMs - issued.issuedAtMonotonicMs);
  return Math.min(byWall, byAge);
}

/** How long to sleep before the next look at the clocks. */
export function sleepMs(untilMs: number, checkIntervalMs: number): number {
  return Math.max(shortestSleepMs, Math.min(untilMs, checkIntervalMs, longestSleepMs));
}

/**
 * How long to wait before attempt `attempt` (1 is the first one that is repeated). `leftMs` is what the certificate in
 * force still has, or how long ago it ended as a negative number: neither the last part of a short life nor the first
 * moments without a certificate are slept through.
 */
export function backoffMs(remedy: Remedy, attempt: number, leftMs: number | undefined, random: number): number {
  const cap = leftMs === undefined ? longestBackoffMs : clamp(Math.abs(leftMs) / 4, 200, longestBackoffMs);
  // A refused credential is asked about rarely, but not by everybody at the same moment.
  if (remedy === 'credential') return cap * (0.5 + random / 2);
  return random * Math.min(cap, firstBackoffMs * 2 ** Math.min(attempt - 1, 20));
}

/** How long one attempt may take. */
export function attemptMs(leftMs: number | undefined): number {
  return leftMs === undefined || leftMs <= 0 ? longestAttemptMs : clamp(leftMs / 3, 700, longestAttemptMs);
}

/** How grave it is that a certificate cannot be renewed. */
export type Gravity = 'info' | 'warn' | 'error';

/** By the share of the time of grace that has passed: from half of it a warning, from four fifths an error. */
export function gravityOf(issued: Issued | undefined, graceRatio: number, now: Moment): Gravity {
  if (issued === undefined) return 'warn';
  const grace = graceMs(issued, graceRatio);
  const passed = -untilRenewalMs(issued, graceRatio, now) / Math.max(1, grace);
  if (passed >= 0.8) return 'error';
  return passed >= 0.5 ? 'warn' : 'info';
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
