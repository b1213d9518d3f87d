/** How often and how long the resolver waits; milliseconds. */
export interface Timings {
  /** For one download, DNS and redirects included. */
  readonly fetchTimeoutMs: number;
  /** Tries after the first of one request, for what may pass in a moment. */
  readonly retries: number;
  /** Between a good key set and the next look at its source. */
  readonly refreshMs: number;
  /** How long the answer of a discovery document counts. */
  readonly discoveryMs: number;
  /** A source that nobody asks for is given up after this; a key set that cannot be refreshed, too. */
  readonly dropMs: number;
}

export const defaultTimings: Timings = {
  fetchTimeoutMs: 5_000,
  retries: 3,
  refreshMs: 20 * 60_000,
  discoveryMs: 24 * 3_600_000,
  dropMs: 7 * 24 * 3_600_000,
};

const firstRetryMs = 250;
const firstWaitWithoutKeysMs = 1_000;
const longestWaitWithoutKeysMs = 30_000;
const firstWaitWithKeysMs = 60_000;

/** The wait before retry `retry` (from 1) within one request: 250 ms, doubled each time, half of it by chance. */
export function retryDelay(retry: number, random: number): number {
  return spread(firstRetryMs * 2 ** (retry - 1), random);
}

/** What the next wait depends on. */
export interface Outlook {
  /** Requests that failed since the last one that succeeded. */
  readonly failures: number;
  readonly hasKeys: boolean;
  /** The wait that the server asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The wait until a source is asked again. A good set: the refresh interval, up to a tenth less or more. Without keys
 * every token is refused, so 1 s, doubled up to 30 s; with the last valid keys in force 1 minute, doubled up to the
 * refresh interval. Half of a wait after a failure is chance, so that a fleet does not return in step. A server that asks
 * for a longer wait gets it, up to the refresh interval.
 */
export function nextLook({ failures, hasKeys, retryAfterMs = 0 }: Outlook, refreshMs: number, random: number): number {
  if (failures === 0) return refreshMs * (0.9 + 0.2 * random);
  const [first, longest] = hasKeys
    ? [firstWaitWithKeysMs, refreshMs]
    : [firstWaitWithoutKeysMs, Math.min(longestWaitWithoutKeysMs, refreshMs)];
  return Math.max(spread(Math.min(first * 2 ** (failures - 1), longest), random), Math.min(retryAfterMs, refreshMs));
}

function spread(milliseconds: number, random: number): number {
  return milliseconds / 2 + (milliseconds / 2) * random;
}
