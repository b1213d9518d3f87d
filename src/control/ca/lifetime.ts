/** DEFAULT_WORKLOAD_CERT_TTL and MAX_WORKLOAD_CERT_TTL of Istio, in seconds. */
const defaultSeconds = 86_400n;
const longestSeconds = 7_776_000n;

/**
 * Lifetime of a certificate in milliseconds, for the seconds that a request asks for (any int64). Zero and less mean 24
 * hours. More than 90 days is refused instead of shortened, so that the caller doesn't rely on it.
 */
export function lifetimeOf(
  seconds: bigint,
):
  | { readonly lifetimeMs: number; readonly problem?: never }
  | { readonly problem: string; readonly lifetimeMs?: never } {
  if (seconds > longestSeconds) {
    return { problem: `a lifetime of ${seconds} seconds is asked for, more than ${longestSeconds}` };
  }
  return { lifetimeMs: Number(seconds > 0n ? seconds : defaultSeconds) * 1000 };
}
