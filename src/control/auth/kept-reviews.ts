import { createHash } from 'node:crypto';
import type { ReadClock } from '../../lib/clock.ts';
import type { Authentication } from './caller.ts';
import type { ReviewedToken, ReviewToken } from './token-review.ts';

/** Whose a token is that came from this address. */
export type AuthenticateReviewed = (token: string, address: string) => Promise<Authentication>;

export interface KeptReviewsOptions {
  readonly review: ReviewToken;
  /** Of the wall, which the ends of tokens are of. */
  readonly clock: ReadClock;
  /** Never goes back. */
  readonly elapsedMs: ReadClock;
  /** Told of each review that was asked for. */
  readonly onReview?: (outcome: 'accepted' | 'refused' | 'failed') => void;
}

interface Kept {
  readonly authentication: Authentication;
  /** By `elapsedMs`. */
  readonly until: number;
  readonly endsAt: number;
}

/** A token whose pod is deleted gets certificates for so long. */
const keptMs = 10_000;
const mostKept = 4_096;
const mostAtOnce = 64;
const mostOfAddress = 8;

/**
 * Answers of reviews, kept for 10 s by the SHA-256 of the token, and never beyond the token's end. One review serves all who bring the
 * same token meanwhile. Failures are not kept. Reviews at once are bounded, in all and for an address, so that one client
 * that makes up tokens keeps no other waiting.
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
