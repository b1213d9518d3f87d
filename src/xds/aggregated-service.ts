import type { DiscoveryType } from './resource.ts';
import type { PushStep } from './scope.ts';
import type { DiscoveryService } from './service.ts';

const typeOf = (message: string, hasWildcard: boolean): DiscoveryType => ({
  typeUrl: `type.googleapis.com/${message}`,
  hasWildcard,
  isConfiguration: true,
});

/** What a proxy's configuration is made of. */
export const configurationTypes = {
  clusters: typeOf('envoy.config.cluster.v3.Cluster', true),
  endpoints: typeOf('envoy.config.endpoint.v3.ClusterLoadAssignment', false),
  listeners: typeOf('envoy.config.listener.v3.Listener', true),
  routes: typeOf('envoy.config.route.v3.RouteConfiguration', false),
} as const;

export type ConfigurationList = keyof typeof configurationTypes;

const step = (list: ConfigurationList, rest: Omit<PushStep, 'typeUrl'>): PushStep => ({
  typeUrl: configurationTypes[list].typeUrl,
  ...rest,
});

/** So long a cluster that is gone stays: longer than requests usually wait in an Envoy, for an authorizer, say. */
export const lingerMs = 2_000;

/**
 * The order of a change: nothing refers to a cluster that is not there. Endpoints do not wait for their clusters, whose
 * acknowledgement Envoy withholds until it has the endpoints. A listener goes at once, for another one may take its address.
 */
export const configurationSteps: readonly PushStep[] = [
  step('clusters', { removes: false, waits: false, repeats: configurationTypes.endpoints.typeUrl }),
  step('endpoints', { removes: true, waits: false }),
  step('listeners', { removes: true, waits: true }),
  step('routes', { removes: true, waits: true }),
  step('clusters', { removes: true, waits: true, lingerMs, repeats: configurationTypes.endpoints.typeUrl }),
];

/** Envoy's aggregated discovery service (envoy/service/discovery/v3/ads.proto). */
export function aggregatedService(admit: DiscoveryService['admit']): DiscoveryService {
  return {
    name: 'envoy.service.discovery.v3.AggregatedDiscoveryService',
    streamMethod: 'StreamAggregatedResources',
    deltaMethod: 'DeltaAggregatedResources',
    admit,
  };
}
