/** Connections that one address may open in a second, over time. */
const perSecond = 50;
/** And at once. */
const burst = 100;
/** Addresses that are remembered. */
const maxAddresses = 4_096;

interface Bucket {
  readonly left: number;
  readonly atMs: number;
}

/** Counts how fast each address opens connections: a bucket of `burst`, refilled by `perSecond`. */
export class OpenRate {
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();

  /** Whether there is one left for `address` at this moment, which it then uses. */
  take(address: string, nowMs: number): boolean {
    const { left, atMs } = this.#buckets.get(address) ?? { left: burst, atMs: nowMs };
    const filled = Math.min(burst, left + ((nowMs - atMs) / 1_000) * perSecond);
    this.#buckets.delete(address);
    this.#buckets.set(address, { left: filled >= 1 ? filled - 1 : filled, atMs: nowMs });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > maxAddresses && oldest !== undefined) this.#buckets.delete(oldest);
    return filled >= 1;
  }
}
