import type { ReadClock } from '../../lib/clock.ts';
import { addressOf } from '../server/address.ts';
import type { Authentication } from './caller.ts';
import { authenticateCertificate } from './client-certificate.ts';
import type { AuthenticateReviewed } from './kept-reviews.ts';
import { authenticateToken, type TokenRules } from './token.ts';

/** What a request brings to show who sends it. */
export interface Credentials {
  readonly peer: string;
  /** DER of a certificate that the handshake has verified against the workload roots; undefined: none, or a stranger's. */
  readonly certificate: Buffer | undefined;
  /** The header `authorization`, each time it came. */
  readonly authorization: readonly string[];
  /** The header `clusterid`, each time it came. */
  readonly clusterIds: readonly string[];
}

export type Authenticate = (credentials: Credentials) => Promise<Authentication>;

export interface AuthenticationRules {
  readonly trustDomain: string;
  /** Tokens that keys verify; undefined: none are known. */
  readonly tokens: TokenRules | undefined;
  /** Tokens that the API server of our cluster verifies; absent: there is none. */
  readonly reviews?: AuthenticateReviewed | undefined;
  /** Names of our cluster; one that is not among them is never taken for ours. */
  readonly clusterIds: readonly string[];
  /** CENTRAL_ISTIOD: who is of another cluster is not refused for that. */
  readonly takesOtherClusters?: boolean | undefined;
  readonly clock: ReadClock;
}

/**
 * Who sends a request: a client certificate first, then a token, and the first of them that is good counts. A
 * certificate that the handshake could not verify is as good as none, so that a workload whose certificate has ended can
 * come back with its token.
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

/** By our keys first, then by the API server; what one of them cannot settle now may be good. */
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
