import type { ReadClock } from '../../lib/clock.ts';
import { addressOf } from '../server/address.ts';
import type { Authentication } from './caller.ts';
import { authenticateCertificate } from './client-certificate.ts';
import type { AuthenticateReviewed } from './kept-reviews.ts';
import { authenticateToken, type TokenRules } from './token.ts';

/** Everything in a request that may prove who sent it. */
export interface Credentials {
  readonly peer: string;
  /** DER of a certificate that the handshake has verified with the workload roots; undefined: none, or one of another CA. */
  readonly certificate: Buffer | undefined;
  /** All values of the header `authorization`. */
  readonly authorization: readonly string[];
  /** All values of the header `clusterid`. */
  readonly clusterIds: readonly string[];
}

export type Authenticate = (credentials: Credentials) => Promise<Authentication>;

export interface AuthenticationRules {
  readonly trustDomain: string;
  /** Tokens that keys verify; undefined: none are known. */
  readonly tokens: TokenRules | undefined;
  /** Tokens that the API server of our cluster verifies; absent: there is none. */
  readonly reviews?: AuthenticateReviewed | undefined;
  /** Names of our cluster. */
  readonly clusterIds: readonly string[];
  /** CENTRAL_ISTIOD: callers of other clusters are accepted. */
  readonly takesOtherClusters?: boolean | undefined;
  readonly clock: ReadClock;
}

/**
 * Authenticates the sender of a request: by its client certificate, else by its token; the first valid one counts. A
 * certificate that the handshake could not verify is ignored, so that a workload whose certificate has expired can renew it
 * with its token.
 */
export function createAuthenticate(rules: AuthenticationRules): Authenticate {
  return async ({ peer, certificate, authorization, clusterIds }) => {
    const foreign = clusterIds.find((id) => id !== '' && !rules.clusterIds.includes(id));
    if (foreign !== undefined && rules.takesOtherClusters !== true)
      return { problem: `unknown cluster ${JSON.stringify(foreign.slice(0, 100))}` };
    const problems: string[] = [];
    let isOurFault = false;
    if (certificate !== undefined) {
      const shown = authenticateCertificate(certificate, rules.trustDomain, rules.clock());
      if (shown.caller !== undefined) return shown;
      problems.push(shown.problem);
    }
    if (authorization.length > 0) {
      // A token of another cluster is no business of our API server.
      const known = foreign === undefined ? rules : { ...rules, reviews: undefined };
      const shown = await byToken(authorization, peer, known);
      if (shown.caller !== undefined) return shown;
      problems.push(shown.problem);
      isOurFault = shown.isOurFault === true;
    }
    const problem = problems.join('; ') || 'neither a client certificate of the mesh nor a token';
    return { problem, isOurFault };
  };
}

/** Verifies with our keys first, then with the API server. If one of them can't decide at present, the token may be valid. */
async function byToken(
  authorization: readonly string[],
  peer: string,
  rules: AuthenticationRules,
): Promise<Authentication> {
  const { tokens, reviews } = rules;
  if (tokens === undefined && reviews === undefined)
    return { problem: 'tokens are not accepted: no issuer of tokens is configured' };
  const [header = ''] = authorization;
  if (authorization.length > 1) return { problem: 'more than one header authorization' };
  const [, token] = /^bearer +(\S+)$/i.exec(header.trim()) ?? [];
  if (token === undefined) return { problem: 'the header authorization holds no bearer token' };
  const verifiers = [
    tokens && (() => authenticateToken(token, tokens)),
    reviews && (() => reviews(token, addressOf(peer))),
  ].filter((verify) => verify !== undefined);
  const problems: string[] = [];
  let isOurFault = false;
  for (const verify of verifiers) {
    const shown = await verify();
    if (shown.caller !== undefined) return shown;
    problems.push(shown.problem);
    isOurFault ||= shown.isOurFault === true;
  }
  return { problem: problems.join('; '), isOurFault };
}
