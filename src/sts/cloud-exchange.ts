import { accessToken } from './access-token.ts';
import { type Cloud, runExchange } from './cloud.ts';
import { federatedToken } from './federated-token.ts';
import { GrantCache } from './grant-cache.ts';
import { grantType, jwtType } from './names.ts';
import type { TokenGrant, TokenManager, TokenRecord, TokenRequest } from './token-manager.ts';

/**
 * The plug-in `CloudTokenExchange`: the workload's token becomes one of the cloud's identity pool, that one an access token
 * of the project's service account for the mesh. `projectNumber` is the second part of CLOUD_METADATA.
 */
export function createCloudExchange(cloud: Cloud, projectNumber: string): TokenManager {
  const end = new AbortController();
  const records = new Map<TokenRecord['kind'], TokenRecord>();
  const note = (kind: TokenRecord['kind'], { expiresAtMs }: TokenGrant): void => {
    records.set(kind, { kind, issuedAtMs: cloud.clock.wallMs(), expiresAtMs });
  };
  const cache = new GrantCache(cloud.clock, (request) =>
    runExchange(cloud, { signal: end.signal }, async (exchange) => {
      const federated = await federatedToken(cloud, request, exchange);
      note('federated token', federated);
      const access = await accessToken(cloud, projectNumber, federated.token, exchange);
      note('access token', access);
      return access;
    }),
  );
  return {
    exchange: (request: TokenRequest) => cache.get(request),
    records: () => [...records.values()],
    close: () => end.abort(),
  };
}

/** Exchanges the workload's token for what an authority is shown instead. Throws `ExchangeError`. */
export type ExchangeToken = (
  token: string,
  limits: { readonly deadlineMs: number; readonly signal: AbortSignal },
) => Promise<string>;

/** The same plug-in before a signing request (PLUGINS): the first step alone, anew for each attempt. */
export function createTokenExchange(cloud: Cloud): ExchangeToken {
  return (subjectToken, limits) =>
    runExchange(cloud, limits, async (exchange) => {
      const request = { grantType, subjectToken, subjectTokenType: jwtType, scope: '' };
      return (await federatedToken(cloud, request, exchange)).token;
    });
}
