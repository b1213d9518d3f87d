import { formatDuration } from '../../lib/duration.ts';
import type { FilterChainIR, RedisProxyIR, ThriftProxyIR } from '../ir/listener.ts';
import { type AccessLogView, accessLogView } from './access-log-view.ts';
import { type Originated, placed } from './placed.ts';
import { accessLogServiceView } from './reports-view.ts';

/** What `redis-proxy` places. */
export interface RedisProxyView {
  readonly statPrefix: Originated<string>;
  readonly opTimeout: string;
  readonly cluster: string;
  /** Envoy's RedisFault messages: the one way in which this filter refuses a command. */
  readonly faults: readonly object[];
}

/** What `thrift-proxy` places. */
export interface ThriftProxyView {
  readonly statPrefix: Originated<string>;
  readonly routeName: string;
  /** One of the two is set. */
  readonly cluster?: string;
  readonly weightedClusters?: readonly { readonly name: string; readonly weight: number }[];
  readonly accessLog?: readonly AccessLogView[];
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
  const logs = logViews(thrift);
  return {
    statPrefix: placed(thrift.statPrefix, thrift.origins),
    routeName: thrift.statPrefix,
    ...(thrift.weightedClusters === undefined
      ? { cluster: thrift.cluster }
      : { weightedClusters: thrift.weightedClusters.map(({ cluster, weight }) => ({ name: cluster, weight })) }),
    ...(logs.length === 0 ? {} : { accessLog: logs }),
  };
}

/** Logs of a listener for the connections of those of its chains whose filter has no log of its own. */
export function chainLogViews(chains: readonly FilterChainIR[]): readonly AccessLogView[] {
  return chains.flatMap(({ name, filter }) =>
    filter.kind === 'redis'
      ? logViews(filter).map((view) => ({ name: view.name, filter: ofChain(name), typed_config: view.typed_config }))
      : [],
  );
}

function logViews({ accessLog, accessLogCluster, statPrefix }: RedisProxyIR | ThriftProxyIR): AccessLogView[] {
  return [
    ...(accessLog === undefined ? [] : [accessLogView(accessLog)]),
    ...(accessLogCluster === undefined ? [] : [accessLogServiceView('tcp', accessLogCluster, statPrefix)]),
  ];
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
