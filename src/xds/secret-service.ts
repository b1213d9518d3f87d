import type { DiscoveryResource, DiscoveryType } from './resource.ts';
import { ResourceStore } from './resource-store.ts';
import { type PushStep, singleScope } from './scope.ts';
import type { DiscoveryService } from './service.ts';

export const secretTypeUrl = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret';

/** Keys and certificates. A client is never believed which versions it has, and nobody gets all there are. */
export const secretType: DiscoveryType = { typeUrl: secretTypeUrl, hasWildcard: false };

/** Secrets beside a configuration: they come first, and wait for nothing. */
export const secretStep: PushStep = { typeUrl: secretTypeUrl, removes: true, waits: false };

/** More names than these, beyond secrets that are there, are no proxy of ours. */
export const mostSecretNames = 100;

/** A service of secrets, and the store behind it. */
export interface SecretService extends DiscoveryService {
  readonly store: ResourceStore;
}

/** Envoy's secret discovery service (envoy/service/secret/v3/sds.proto) over a store of its own. */
export function secretService(secrets: Iterable<DiscoveryResource> = []): SecretService {
  const store = new ResourceStore(secretType);
  store.replace(secrets);
  const scope = singleScope(store, mostSecretNames);
  return {
    name: 'envoy.service.secret.v3.SecretDiscoveryService',
    streamMethod: 'StreamSecrets',
    deltaMethod: 'DeltaSecrets',
    fetch: { method: 'FetchSecrets', store },
    admit: () => scope,
    store,
  };
}
