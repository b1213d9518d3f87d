import type { Cloud } from './cloud.ts';
import { accessTokenType, cloudPlatformScope, isTokenText } from './names.ts';
import { type Exchange, postJson } from './post.ts';
import { ExchangeError, type TokenGrant, type TokenRequest } from './token-manager.ts';

/** Exchanges the workload's token for one of the cloud's identity pool. Throws `ExchangeError`. */
export async function federatedToken(
  { trustDomain, clusterUrl, endpoints, clock }: Cloud,
  { grantType, subjectToken, subjectTokenType, scope }: Pick<TokenRequest, (typeof used)[number]>,
  exchange: Exchange,
): Promise<TokenGrant> {
  const url = `${endpoints.securityTokens}/v1/identitybindingtoken`;
  const body = {
    audience: `identitynamespace:${trustDomain}:${clusterUrl}`,
    grantType,
    requestedTokenType: accessTokenType,
    subjectTokenType,
    subjectToken,
    scope: scope === '' ? cloudPlatformScope : scope,
  };
  const answer = await postJson({ url, headers: {}, body, secrets: [subjectToken] }, exchange);
  const { access_token: token, expires_in: lifetime } = answer;
  if (!isTokenText(token)) throw new ExchangeError(`${new URL(url).host} answers without access_token`, 'malformed');
  const lifetimeMs = typeof lifetime === 'number' && lifetime >= 0 ? lifetime * 1000 : usualLifetimeMs;
  return { token, expiresAtMs: clock.wallMs() + lifetimeMs };
}

const used = ['grantType', 'subjectToken', 'subjectTokenType', 'scope'] as const;

/** For an answer that does not say how long its token lives. */
const usualLifetimeMs = 3_600_000;
