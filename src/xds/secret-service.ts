import { type DiscoveryResource, ResourceStore } from './resource.ts';
import type { DiscoveryService } from './server.ts';

export const secretTypeUrl = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret';

/** Envoy's secret discovery service (envoy/service/secret/v3/sds.proto) over a store of its own. */
export function secretService(secrets: Iterable<DiscoveryResource> = []): DiscoveryService {
  const store = new ResourceStore({ typeUrl: secretTypeUrl, hasWildcard: false });
  store.replace(secrets);
  return {
    name: 'envoy.service.secret.v3.SecretDiscoveryService',
    streamMethod: 'StreamSecrets',
    deltaMethod: 'DeltaSecrets',
    fetchMethod: 'FetchSecrets',
    store,
  };
}
