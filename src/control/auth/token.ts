import type { KeyObject } from 'node:crypto';
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { ReadClock } from '../../lib/clock.ts';
import { type Authentication, accountOf } from './caller.ts';

/** One public key of the token issuer. */
export interface TokenKey {
  /** Undefined: the key is tried for tokens with any key id, or none. */
  readonly id: string | undefined;
  /** RFC 7518 name that the key is for; undefined: any that its type allows. */
  readonly algorithm: string | undefined;
  readonly key: KeyObject;
}

/** Where the keys of tokens come from. */
export interface TokenKeys {
  /** Undefined: the token's issuer is not checked. */
  readonly issuer: string | undefined;
  /** The current keys; `refresh` fetches them again first, unless that was done a moment ago. */
  keys(refresh: boolean): Promise<readonly TokenKey[]>;
  close(): void;
}

export interface TokenRules {
  readonly source: TokenKeys;
  /** One of them must be among the token's. */
  readonly audiences: readonly string[];
  /** JWT_POLICY `first-party-jwt`: legacy tokens without audience or expiry are accepted too. */
  readonly isFirstParty: boolean;
  readonly clock: ReadClock;
}

/** Only algorithms with asymmetric keys, so that a public key is never used as a shared secret. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Longest token in characters, checked before anything is parsed. */
export const longestToken = 16_384;
const clockTolerance = 5;

/** The service account that a token proves (Kubernetes: `sub` is `system:serviceaccount:<namespace>:<name>`). */
export async function authenticateToken(token: string, rules: TokenRules): Promise<Authentication> {
  const verified = await verifyToken(token, rules);
  return verified.claims === undefined ? verified : callerOf(verified.claims);
}

/** The claims of a valid token, or why it is invalid. */
export type VerifiedToken =
  | { readonly claims: JWTPayload; readonly problem?: never }
  | { readonly problem: string; readonly isOurFault?: boolean; readonly claims?: never };

/** Verifies signature, issuer, audience and times of a token, and gives its claims. The problem never quotes the token. */
export async function verifyToken(token: string, rules: TokenRules): Promise<VerifiedToken> {
  if (token.length > longestToken)
    return { problem: `the token has ${token.length} characters, more than ${longestToken}` };
  let header: TokenHeader;
  try {
    header = decodeProtectedHeader(token);
  } catch {
    // What is wrong with the text of a token could quote it.
    return { problem: 'the token is no JWT' };
  }
  let known = await rules.source.keys(false);
  if (matching(known, header).length === 0) known = await rules.source.keys(true);
  if (known.length === 0) return { problem: 'there are no keys to verify tokens with', isOurFault: true };
  const keys = matching(known, header);
  let problem = 'the token is signed by no key that is known';
  for (const { key } of keys) {
    const verified = await verify(token, key, rules);
    if (typeof verified === 'string') problem = verified;
    else {
      const fault = timeProblem(verified, rules) ?? audienceProblem(verified, rules);
      return fault === undefined ? { claims: verified } : { problem: fault };
    }
  }
  return { problem };
}

interface TokenHeader {
  readonly kid?: string | undefined;
  readonly alg?: string | undefined;
}

function matching(keys: readonly TokenKey[], { kid, alg }: TokenHeader): readonly TokenKey[] {
  return keys.filter(
    ({ id, algorithm }) =>
      (kid === undefined || id === undefined || id === kid) && (algorithm === undefined || algorithm === alg),
  );
}

async function verify(token: string, key: KeyObject, { source, clock }: TokenRules): Promise<JWTPayload | string> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms,
      clockTolerance,
      currentDate: new Date(clock()),
      ...(source.issuer === undefined ? {} : { issuer: source.issuer }),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return `the token is refused: ${error.message}`;
    // A key of another type than the token's algorithm: the library throws the one, Node's cryptography the other.
    if (error instanceof TypeError || error instanceof DOMException)
      return 'the token is not signed with the type of its key';
    throw error;
  }
}

function callerOf({ sub }: JWTPayload): Authentication {
  const account = typeof sub === 'string' ? accountOf(sub) : undefined;
  if (account === undefined) return { problem: 'the subject of the token is no service account' };
  return { caller: { ...account, by: 'token' } };
}

/** Checks the times that the verification does not check. */
function timeProblem({ exp, iat }: JWTPayload, { isFirstParty, clock }: TokenRules): string | undefined {
  if (exp === undefined && !isFirstParty) return 'the token has no end';
  if (iat === undefined) return undefined;
  // A token from the future was prepared for a time when the key is out of reach, or one of the clocks is wrong.
  const aheadSeconds = iat - clock() / 1000;
  return aheadSeconds > clockTolerance ? 'the token was issued in the future: a clock is wrong' : undefined;
}

function audienceProblem({ aud }: JWTPayload, { audiences, isFirstParty, source }: TokenRules): string | undefined {
  if (aud === undefined) return isFirstParty ? undefined : 'the token has no audience';
  const named = [aud].flat();
  const accepted = isFirstParty && source.issuer !== undefined ? [...audiences, source.issuer] : audiences;
  if (named.some((audience) => accepted.includes(audience))) return undefined;
  return `the audience of the token is ${JSON.stringify(named)}, none of ${JSON.stringify(accepted)}`;
}
