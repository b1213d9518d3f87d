import { createHash } from 'node:crypto';
import type { ReadClock } from '../../lib/clock.ts';
import type { Authentication } from './caller.ts';
import type { ReviewedToken, ReviewToken } from './token-review.ts';

/** Authenticates a token that was sent from this address. */
export type AuthenticateReviewed = (token: string, address: string) => Promise<Authentication>;

export interface KeptReviewsOptions {
  readonly review: ReviewToken;
  /** The system clock, by which tokens expire. */
  readonly clock: ReadClock;
  /** Never goes back. */
  readonly elapsedMs: ReadClock;
  /** Called after each review. */
  readonly onReview?: (outcome: 'accepted' | 'refused' | 'failed') => void;
}

interface Kept {
  readonly authentication: Authentication;
  /** By `elapsedMs`. */
  readonly until: number;
  readonly endsAt: number;
}

/** For so long, a token whose pod was deleted may still get certificates. */
const keptMs = 10_000;
const mostKept = 4_096;
const mostAtOnce = 64;
const mostOfAddress = 8;

/**
 * Caches answers of reviews for 10 s under the SHA-256 of the token, and never beyond the token's expiry. Equal tokens at the
 * same time cause one review. Failures are not cached. The number of reviews at once is limited, in all and for each address,
 * so that a client that invents tokens delays no other.
 */
export function createKeptReviews({ review, clock, elapsedMs, onReview }: KeptReviewsOptions): AuthenticateReviewed {
  const kept = new Map<string, Kept>();
  const open = new Map<string, Promise<Authentication>>();
  const ofAddress = new Map<string, number>();
  const ask = async (token: string, digest: string, address: string): Promise<Authentication> => {
    ofAddress.set(address, (ofAddress.get(address) ?? 0) + 1);
    try {
      const reviewed = await review(token);
      onReview?.(outcomeOf(reviewed.authentication));
      keep(digest, reviewed);
      return reviewed.authentication;
    } finally {
      open.delete(digest);
      const left = (ofAddress.get(address) ?? 1) - 1;
      if (left === 0) ofAddress.delete(address);
      else ofAddress.set(address, left);
    }
  };
  const keep = (digest: string, { authentication, endsAt = Number.POSITIVE_INFINITY }: ReviewedToken): void => {
    if (authentication.caller === undefined && authentication.isOurFault) return;
    kept.delete(digest);
    kept.set(digest, { authentication, until: elapsedMs() + keptMs, endsAt });
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  };
  return async (token, address) => {
    const digest = createHash('sha256').update(token).digest('base64');
    const known = kept.get(digest);
    if (known !== undefined && elapsedMs() < known.until && clock() < known.endsAt) return known.authentication;
    kept.delete(digest);
    const running = open.get(digest);
    if (running !== undefined) return running;
    if (open.size >= mostAtOnce || (ofAddress.get(address) ?? 0) >= mostOfAddress) {
      return { problem: 'too many tokens are being verified at once', isOurFault: true };
    }
    const asked = ask(token, digest, address);
    open.set(digest, asked);
    return asked;
  };
}

function outcomeOf({ caller, ...shown }: Authentication): 'accepted' | 'refused' | 'failed' {
  if (caller !== undefined) return 'accepted';
  return 'isOurFault' in shown && shown.isOurFault ? 'failed' : 'refused';
}
