import { formatDuration } from '../../lib/duration.ts';
import type { FilterChainIR, RedisProxyIR, ThriftProxyIR } from '../ir/listener.ts';
import type { AccessLogView } from './access-log-view.ts';
import { type AccessLogsView, accessLogsOf, accessLogViews } from './access-logs-view.ts';
import { type Originated, placed } from './placed.ts';

/** What `redis-proxy` places. */
export interface RedisProxyView {
  readonly statPrefix: Originated<string>;
  readonly opTimeout: string;
  readonly cluster: string;
  /** Envoy's RedisFault messages: the one way in which this filter refuses a command. */
  readonly faults: readonly object[];
}

/** What `thrift-proxy` places. */
export interface ThriftProxyView extends AccessLogsView {
  readonly statPrefix: Originated<string>;
  readonly routeName: string;
  /** One of the two is set. */
  readonly cluster?: string;
  readonly weightedClusters?: readonly { readonly name: string; readonly weight: number }[];
}

export function redisProxyView(redis: RedisProxyIR): RedisProxyView {
  return {
    statPrefix: placed(redis.statPrefix, redis.origins),
    opTimeout: formatDuration(redis.opTimeoutMs),
    cluster: redis.cluster,
    faults: [
      {
        fault_type: 'ERROR',
        fault_enabled: { default_value: { numerator: 100, denominator: 'HUNDRED' } },
        commands: redis.refusedCommands,
      },
    ],
  };
}

export function thriftProxyView(thrift: ThriftProxyIR): ThriftProxyView {
  return {
    statPrefix: placed(thrift.statPrefix, thrift.origins),
    routeName: thrift.statPrefix,
    ...(thrift.weightedClusters === undefined
      ? { cluster: thrift.cluster }
      : { weightedClusters: thrift.weightedClusters.map(({ cluster, weight }) => ({ name: cluster, weight })) }),
    ...accessLogsOf('tcp', thrift),
  };
}

/** Logs of a listener for the connections of those of its chains whose filter has no log of its own. */
export function chainLogViews(chains: readonly FilterChainIR[]): readonly AccessLogView[] {
  return chains.flatMap(({ name, filter }) =>
    filter.kind === 'redis'
      ? accessLogViews('tcp', filter).map((view) => ({
          name: view.name,
          filter: ofChain(name),
          typed_config: view.typed_config,
        }))
      : [],
  );
}

/** Envoy's AccessLogFilter for the connections of one filter chain. */
function ofChain(name: string): object {
  return {
    extension_filter: {
      name: 'envoy.access_loggers.extension_filters.cel',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter',
        expression: `xds.filter_chain_name == ${JSON.stringify(name)}`,
      },
    },
  };
}
