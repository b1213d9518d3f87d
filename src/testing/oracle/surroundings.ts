import { generateKeyPairSync } from 'node:crypto';
import type { AuthorizerSettings, Settings } from '../../config/settings.ts';

/** Asked over gRPC, which decides about requests and connections. */
const authorizer: AuthorizerSettings = {
  protocol: 'grpc',
  service: 'api.b.svc.cluster.local',
  port: 80,
  timeoutMs: 1_000,
  failOpen: false,
  statusOnError: 403,
  clearRouteCache: false,
  requestBody: undefined,
  pathPrefix: '',
  headersToAuthorizer: [],
  headersToAdd: {},
  headersToUpstream: [],
  headersToDownstreamOnAllow: [],
  headersToDownstreamOnDeny: [],
};

/** A mesh with a second trust domain and an external authorizer. */
export const oracleSettings = {
  trustDomainAliases: ['old.example'],
  extensionProviders: [{ name: 'asks-api', authorizer }],
} as const satisfies Partial<Settings>;

/** Key sets of two issuers. */
export interface KeySets {
  readonly texts: readonly string[];
  /** Name of the key of a set, in whatever form its JSON is written; undefined: it is none of these. */
  idOf(keySet: string): string | undefined;
}

/** New key sets; nobody keeps their private keys. */
export function createKeySets(): KeySets {
  const texts = ['k0', 'k1'].map((kid) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return JSON.stringify({ keys: [{ kid, alg: 'ES256', ...publicKey.export({ format: 'jwk' }) }] });
  });
  return { texts, idOf: (keySet) => /"kid":\s*"(k\d)"/.exec(keySet)?.[1] };
}
