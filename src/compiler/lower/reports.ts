import { splitHostAndPort } from '../../config/address.ts';
import type { Settings, TracerSettings } from '../../config/settings.ts';
import type { CollectorIR, ReportsIR, TracerIR } from '../ir/reports.ts';

/** Names of the bootstrap's own clusters, as in Istio's bootstrap where it has them. */
const tracerClusters: Readonly<Record<TracerSettings['kind'], string>> = {
  zipkin: 'zipkin',
  datadog: 'datadog_agent',
  openTelemetry: 'opentelemetry_collector',
};
const metricsService = 'envoy_metrics_service';
const accessLogService = 'envoy_accesslog_service';

/** Whom a proxy reports to: traces, statistics and access logs. Addresses have been checked. */
export function reports({ proxy, enableTracing }: Settings): ReportsIR {
  const { tracer, statsdAddress, metricsServiceAddress, accessLogServiceAddress } = proxy;
  const collector = (name: string, address: string, isGrpc: boolean): CollectorIR => ({
    name,
    ...splitHostAndPort(address),
    isGrpc,
  });
  return {
    collectors: [
      ...(tracer === undefined || !enableTracing
        ? []
        : [collector(tracerClusters[tracer.kind], tracer.address, tracer.kind === 'openTelemetry')]),
      ...(metricsServiceAddress === '' ? [] : [collector(metricsService, metricsServiceAddress, true)]),
      ...(accessLogServiceAddress === '' ? [] : [collector(accessLogService, accessLogServiceAddress, true)]),
    ],
    statsd: statsdAddress === '' ? undefined : splitHostAndPort(statsdAddress),
    metricsService: metricsServiceAddress === '' ? undefined : metricsService,
  };
}

/** What requests are traced with; undefined: with nothing, so that a request keeps the trace it came with. */
export function tracer({ proxy }: Settings): TracerIR | undefined {
  if (proxy.tracer === undefined) return undefined;
  const { kind } = proxy.tracer;
  return { kind, cluster: tracerClusters[kind], serviceName: proxy.serviceCluster };
}

/** The cluster that access logs go to; undefined: to none. */
export function accessLogCluster({ accessLogService: isWanted, proxy }: Settings): string | undefined {
  return isWanted && proxy.accessLogServiceAddress !== '' ? accessLogService : undefined;
}
