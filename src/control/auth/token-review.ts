import { decodeJwt, type JWTPayload } from 'jose';
import type { KubernetesApi } from '../../kubernetes/api.ts';
import { KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import type { ReadClock } from '../../lib/clock.ts';
import { type Authentication, accountOf } from './caller.ts';
import { longestToken } from './token.ts';

/** Audiences of the tokens that the API server of a cluster verifies. */
export interface ReviewRules {
  /** One of them must be among the token's. */
  readonly audiences: readonly string[];
  /** JWT_POLICY `first-party-jwt`: tokens for the API server itself are good too, also those that do not end. */
  readonly isFirstParty: boolean;
}

export interface TokenReviewParts extends ReviewRules {
  readonly api: Pick<KubernetesApi, 'ask'>;
  readonly clock: ReadClock;
}

/** Authenticates a token, and says until when the answer may be used, in milliseconds since 1970. */
export type ReviewToken = (token: string) => Promise<ReviewedToken>;

export interface ReviewedToken {
  readonly authentication: Authentication;
  /** The token's end; undefined: it has none. */
  readonly endsAt: number | undefined;
}

/** `TokenReview` of `authentication.k8s.io/v1`, as far as it is read. */
interface Review {
  readonly status?: {
    readonly authenticated?: unknown;
    readonly error?: unknown;
    readonly audiences?: unknown;
    readonly user?: {
      readonly username?: unknown;
      readonly groups?: unknown;
      readonly extra?: Readonly<Record<string, unknown>>;
    };
  };
}

const path = '/apis/authentication.k8s.io/v1/tokenreviews';
/** An agent gives a request 10 s. */
const deadlineMs = 5_000;
const clockTolerance = 5;

/**
 * Asks the API server to verify a token (`TokenReview`). Unlike keys, it also knows that an account, pod or node of a token
 * was deleted. A text that can't be a token of a service account for one of our audiences is refused without a request. An
 * error of the API server never counts as acceptance, and is our fault, not the caller's. The problem never quotes the token.
 */
export function createTokenReview({ api, clock, ...rules }: TokenReviewParts): ReviewToken {
  return async (token) => {
    const claims = claimsOf(token);
    const problem = typeof claims === 'string' ? claims : problemOf(claims, rules, clock());
    if (typeof claims === 'string' || problem !== undefined) {
      return { authentication: { problem: problem ?? '' }, endsAt: undefined };
    }
    const endsAt = claims.exp === undefined ? undefined : claims.exp * 1_000;
    const audiences = isFor(claims, rules.audiences) ? rules.audiences : undefined;
    try {
      const body = {
        ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' },
        spec: { token, ...(audiences && { audiences }) },
      };
      const review = await api.ask<Review>({ method: 'POST', path, body, deadlineMs });
      return { authentication: authenticationOf(review, audiences, token), endsAt };
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      return { authentication: { problem: error.message, isOurFault: true }, endsAt };
    }
  };
}

/** The claims of an unverified token, or why it is not a token. */
function claimsOf(token: string): JWTPayload | string {
  if (token.length > longestToken) return `the token has ${token.length} characters, more than ${longestToken}`;
  try {
    return decodeJwt(token);
  } catch {
    // What is wrong with the text of a token could quote it.
    return 'the token is no JWT';
  }
}

function problemOf(claims: JWTPayload, { audiences, isFirstParty }: ReviewRules, nowMs: number): string | undefined {
  const { sub, exp } = claims;
  if (typeof sub !== 'string' || accountOf(sub) === undefined) return 'the subject of the token is no service account';
  if (exp === undefined && !isFirstParty) return 'the token has no end';
  if (exp !== undefined && !(exp * 1_000 > nowMs - clockTolerance * 1_000)) return 'the token has expired';
  if (isFirstParty || isFor(claims, audiences)) return undefined;
  const named = claims.aud === undefined ? 'absent' : JSON.stringify([claims.aud].flat()).slice(0, 300);
  return `the audience of the token is ${named}, none of ${JSON.stringify(audiences)}`;
}

function isFor({ aud }: JWTPayload, audiences: readonly string[]): boolean {
  return aud !== undefined && [aud].flat().some((audience) => audiences.includes(audience));
}

/** Reads the answer; `audiences` are those of the request, undefined: the API server's own. */
function authenticationOf({ status }: Review, audiences: readonly string[] | undefined, token: string): Authentication {
  if (status === undefined || typeof status !== 'object' || status === null) {
    return { problem: 'the answer of the API server about the token has no status', isOurFault: true };
  }
  const { authenticated, error, user } = status;
  if (authenticated !== true || (error !== undefined && error !== '')) {
    const reason = typeof error === 'string' ? error.replaceAll(token, '…').slice(0, 500) : '';
    return { problem: `the API server does not accept the token${reason && `: ${reason}`}` };
  }
  // A server that does not know audiences answers without them, and has not looked at them.
  if (audiences !== undefined && !texts(status.audiences).some((audience) => audiences.includes(audience))) {
    return { problem: `the API server accepts the token for none of ${JSON.stringify(audiences)}` };
  }
  const account = accountOf(typeof user?.username === 'string' ? user.username : '');
  const groups = texts(user?.groups);
  if (account === undefined || !groups.includes('system:serviceaccounts')) {
    return { problem: 'the token is of a user that is no service account' };
  }
  const [pod] = texts(user?.extra?.['authentication.kubernetes.io/pod-name']);
  return { caller: { ...account, by: 'token', ...(pod !== undefined && { pod }) } };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
