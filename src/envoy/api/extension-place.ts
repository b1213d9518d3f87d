/**
 * Says what is wrong with an extension of this type in an Any field, else undefined. Envoy looks extensions up by kind: an
 * HTTP filter among the network filters is as unknown to it as a misspelt one. Fields that are not listed take any type.
 */
export function extensionFault(fieldName: string, typeName: string): string | undefined {
  const prefixes = places[fieldName];
  if (prefixes === undefined || typedStructs.has(typeName)) return undefined;
  if (prefixes.some((prefix) => typeName.startsWith(prefix))) return undefined;
  return `found ${typeName}, expected a type of ${prefixes[0]}*`;
}

/** A Struct beside the name of the type that it stands for; Envoy reads it as that type. */
export const typedStructs: ReadonlySet<string> = new Set(['xds.type.v3.TypedStruct', 'udpa.type.v1.TypedStruct']);

const httpFilter = 'envoy.extensions.filters.http.';
// One filter in place of another, chosen by a matcher; and the switch that a route has for each filter.
const withMatcher = 'envoy.extensions.common.matching.v3.ExtensionWithMatcher';
const filterConfig = 'envoy.config.route.v3.FilterConfig';
const manager = 'envoy.extensions.filters.network.http_connection_manager.v3';
const routes = 'envoy.config.route.v3';
const perRoute = [httpFilter, filterConfig, withMatcher];

const places: Readonly<Record<string, readonly string[]>> = {
  'envoy.config.listener.v3.ListenerFilter.typed_config': ['envoy.extensions.filters.listener.'],
  'envoy.config.listener.v3.Filter.typed_config': ['envoy.extensions.filters.network.'],
  [`${manager}.HttpFilter.typed_config`]: [httpFilter, withMatcher],
  'envoy.config.core.v3.TransportSocket.typed_config': ['envoy.extensions.transport_sockets.'],
  'envoy.config.accesslog.v3.AccessLog.typed_config': ['envoy.extensions.access_loggers.'],
  'envoy.config.overload.v3.ResourceMonitor.typed_config': ['envoy.extensions.resource_monitors.'],
  'envoy.config.cluster.v3.Cluster.typed_extension_protocol_options': ['envoy.extensions.upstreams.', httpFilter],
  [`${routes}.RetryPolicy.RetryHostPredicate.typed_config`]: ['envoy.extensions.retry.host.'],
  [`${routes}.RouteConfiguration.typed_per_filter_config`]: perRoute,
  [`${routes}.VirtualHost.typed_per_filter_config`]: perRoute,
  [`${routes}.Route.typed_per_filter_config`]: perRoute,
  [`${routes}.WeightedCluster.ClusterWeight.typed_per_filter_config`]: perRoute,
};
