import { isAddress } from '../../config/address.ts';
import type { CollectorIR, ReportsIR, TracerIR } from '../ir/reports.ts';
import type { AccessLogView } from './access-log-view.ts';
import type { AddressView } from './address-view.ts';

/** A cluster of the bootstrap itself. */
export interface StaticClusterView {
  readonly name: string;
  readonly type: 'STATIC' | 'STRICT_DNS';
  /** Which addresses of a name come first; absent for addresses. */
  readonly dnsLookupFamily?: 'V4_PREFERRED' | 'AUTO';
  readonly connectTimeout: string;
  readonly address: AddressView;
  /** Speaks HTTP/2 from the first byte. */
  readonly isGrpc: boolean;
}

/** Envoy's typed extension. */
interface ExtensionView {
  readonly name: string;
  readonly typed_config: object;
}

const types = 'type.googleapis.com';

/** A name is looked up again as DNS says; the proxy's own address family comes first, the other one will do. */
export function collectorView({ name, host, port, isGrpc }: CollectorIR, isIpv6: boolean): StaticClusterView {
  return {
    name,
    ...(isAddress(host)
      ? { type: 'STATIC' }
      : { type: 'STRICT_DNS', dnsLookupFamily: isIpv6 ? 'AUTO' : 'V4_PREFERRED' }),
    connectTimeout: '1s',
    address: { address: host, port },
    isGrpc,
  };
}

/** `stats_sinks` of the bootstrap. */
export function statsSinks({ statsd, metricsService }: ReportsIR): readonly ExtensionView[] {
  const sinks: ExtensionView[] = [];
  if (metricsService !== undefined) {
    sinks.push({
      name: 'envoy.stat_sinks.metrics_service',
      typed_config: {
        '@type': `${types}/envoy.config.metrics.v3.MetricsServiceConfig`,
        transport_api_version: 'V3',
        grpc_service: grpcTo(metricsService),
      },
    });
  }
  if (statsd !== undefined) {
    sinks.push({
      name: 'envoy.stat_sinks.statsd',
      typed_config: {
        '@type': `${types}/envoy.config.metrics.v3.StatsdSink`,
        address: { socket_address: { address: statsd.host, port_value: statsd.port, protocol: 'UDP' } },
      },
    });
  }
  return sinks;
}

/** `provider` of a connection manager's tracing (envoy.config.trace.v3). */
export function tracerView({ kind, cluster, serviceName }: TracerIR): ExtensionView {
  switch (kind) {
    case 'zipkin':
      return {
        name: 'envoy.tracers.zipkin',
        typed_config: {
          '@type': `${types}/envoy.config.trace.v3.ZipkinConfig`,
          collector_cluster: cluster,
          collector_endpoint: '/api/v2/spans',
          collector_endpoint_version: 'HTTP_JSON',
          trace_id_128bit: true,
          shared_span_context: false,
        },
      };
    case 'datadog':
      return {
        name: 'envoy.tracers.datadog',
        typed_config: {
          '@type': `${types}/envoy.config.trace.v3.DatadogConfig`,
          collector_cluster: cluster,
          service_name: serviceName,
        },
      };
    case 'openTelemetry':
      return {
        name: 'envoy.tracers.opentelemetry',
        typed_config: {
          '@type': `${types}/envoy.config.trace.v3.OpenTelemetryConfig`,
          grpc_service: grpcTo(cluster),
          service_name: serviceName,
        },
      };
  }
}

/** A logger that sends entries to an access log service; `listener` is the name that they carry. */
export function accessLogServiceView(kind: 'http' | 'tcp', cluster: string, listener: string): AccessLogView {
  const message = kind === 'http' ? 'HttpGrpcAccessLogConfig' : 'TcpGrpcAccessLogConfig';
  return {
    name: `envoy.access_loggers.${kind}_grpc`,
    typed_config: {
      '@type': `${types}/envoy.extensions.access_loggers.grpc.v3.${message}`,
      common_config: { log_name: listener, transport_api_version: 'V3', grpc_service: grpcTo(cluster) },
    },
  };
}

function grpcTo(cluster_name: string): object {
  return { envoy_grpc: { cluster_name } };
}
