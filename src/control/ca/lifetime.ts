/** DEFAULT_WORKLOAD_CERT_TTL and MAX_WORKLOAD_CERT_TTL of Istio, in seconds. */
const defaultSeconds = 86_400n;
const longestSeconds = 7_776_000n;

/**
 * Milliseconds of a certificate's life for the seconds that a request asks for (any int64): none or fewer asks for 24
 * hours; more than 90 days is refused and not shortened, so that nobody counts on it.
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
