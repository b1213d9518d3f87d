import type { ReadClock } from '../lib/clock.ts';
import type { PlainLog } from '../lib/log.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createKeptReviews } from './auth/kept-reviews.ts';
import { openTokens } from './auth/open-tokens.ts';
import type { TokenKeys } from './auth/token.ts';
import type { TokenIssuer } from './auth/token-issuer.ts';
import { createTokenReview } from './auth/token-review.ts';
import type { CertificateAuthority } from './ca/authority.ts';
import { type AdmitRequest, createCertificateService } from './ca/certificate-service.ts';
import { openAuthority } from './ca/open-authority.ts';
import { CallerLimits } from './ca/rate-limit.ts';
import type { SecretPlace } from './ca/secret-authority.ts';
import type { AuthorityConfig } from './control-config.ts';
import type { ControlMetrics } from './server/metrics.ts';

export interface AuthorityParts {
  readonly trustDomain: string;
  readonly log: PlainLog;
  readonly clock: ReadClock;
  readonly metrics: ControlMetrics;
  /** Resources to close at the end. */
  readonly open: { close(): unknown }[];
  /** Our Kubernetes cluster and namespace; undefined without one. */
  readonly cluster: SecretPlace | undefined;
  /** Ends a wait for the cluster. */
  readonly stop: AbortSignal | undefined;
}

/** The CA and those who ask it. */
export interface StartedAuthority {
  readonly authority: CertificateAuthority;
  readonly admit: AdmitRequest;
  readonly trust: TokenIssuer['trust'];
  /** Of tokens that are verified here; undefined: there are none. */
  readonly keys: TokenKeys | undefined;
}

/** Opens the CA, and what shows it who asks. `ControlError` says what is in its way. */
export async function startAuthority(config: AuthorityConfig, parts: AuthorityParts): Promise<StartedAuthority> {
  const { trustDomain, log, clock, open, metrics, cluster, stop } = parts;
  const refused = (): void => metrics.authority.countRefusedAuthority();
  const opened = await openAuthority({ ...config, trustDomain, clock, log, refused, secrets: cluster, stop });
  open.push(opened);
  const { authority } = opened;
  metrics.authority.watch(() => authority.signer);
  const tokens = config.tokens && (await openTokens(config.tokens, { log, clock, open }));
  const reviews =
    config.reviews &&
    cluster &&
    createKeptReviews({
      review: createTokenReview({ ...config.reviews, api: cluster.api, clock }),
      clock,
      elapsedMs: () => performance.now(),
      onReview: (outcome) => metrics.authority.countReview(outcome),
    });
  if (tokens === undefined && reviews === undefined)
    log.warn('tokens are not accepted, only client certificates: no issuer of tokens is configured');
  const authenticate = createAuthenticate({ ...config, trustDomain, tokens, reviews, clock });
  const limits = new CallerLimits(config.limit, () => performance.now());
  return {
    authority,
    admit: createCertificateService({ authority, authenticate, limits, trustDomain, metrics: metrics.authority, log }),
    trust: (change) => tokens?.trust(change),
    keys: tokens?.source,
  };
}
