import type { DiscoveryResource } from './resource.ts';
import { ResourceStore } from './resource-store.ts';
import { singleScope } from './scope.ts';
import type { DiscoveryService } from './service.ts';

export const secretTypeUrl = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret';

/** More secrets than these in one request is no proxy of ours. */
const mostNames = 100;

/** A service of secrets, and the store behind it. */
export interface SecretService extends DiscoveryService {
  readonly store: ResourceStore;
}

/** Envoy's secret discovery service (envoy/service/secret/v3/sds.proto) over a store of its own. */
export function secretService(secrets: Iterable<DiscoveryResource> = []): SecretService {
  const store = new ResourceStore({ typeUrl: secretTypeUrl, hasWildcard: false });
  store.replace(secrets);
  const scope = singleScope(store, mostNames);
  return {
    name: 'envoy.service.secret.v3.SecretDiscoveryService',
    streamMethod: 'StreamSecrets',
    deltaMethod: 'DeltaSecrets',
    fetch: { method: 'FetchSecrets', store },
    admit: () => scope,
    store,
  };
}
