import { isIPv6 } from 'node:net';
import type { Rate } from '../lib/token-bucket.ts';
import { TokenBuckets } from '../lib/token-buckets.ts';
import { addressBytes } from './address-bytes.ts';

/** Sources that are told apart; of more, the longest silent are forgotten. */
const mostSources = 50_000;
/** Of the datagrams above the rate, one in so many is answered, cut, so that whoever does ask comes over TCP. */
const answeredShare = 4;

/**
 * A rate of queries for each source: an address of IPv4, or 64 bits of one of IPv6. Datagrams and connections have buckets of
 * their own, because the source of a datagram may be forged.
 */
export class SourceLimits {
  readonly #datagrams: TokenBuckets;
  readonly #messages: TokenBuckets;
  #dropped = 0;

  constructor(rate: Rate) {
    this.#datagrams = new TokenBuckets(rate, mostSources);
    this.#messages = new TokenBuckets(rate, mostSources);
  }

  /** What becomes of a datagram at `nowMs` of a clock that never goes back: it is answered, answered without records, or not. */
  ofDatagram(address: string, nowMs: number): 'whole' | 'cut' | 'none' {
    if (this.#datagrams.take(sourceOf(address), nowMs)) return 'whole';
    return this.#dropped++ % answeredShare === 0 ? 'cut' : 'none';
  }

  /** After how many milliseconds a message that came over a connection may be answered. */
  waitMs(address: string, nowMs: number): number {
    return this.#messages.spend(sourceOf(address), 1, nowMs);
  }
}

/** The same for all addresses of one source. */
export function sourceOf(address: string): string {
  const plain = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  return isIPv6(plain) ? addressBytes(plain).toString('hex', 0, 8) : plain;
}
