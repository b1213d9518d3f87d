import { describe } from 'vitest';
import { testRows } from './testing/rule-row.ts';

const bootstrap = 'envoy.config.bootstrap.v3.Bootstrap';
const cluster = 'envoy.config.cluster.v3.Cluster';
const listener = 'envoy.config.listener.v3.Listener';
const core = 'envoy.config.core.v3';
const route = 'envoy.config.route.v3';

describe('rules of protoc-gen-validate on numbers, durations and enums', () => {
  testRows([
    [
      'uint32.gte',
      `${cluster}.LeastRequestLbConfig`,
      { choice_count: 1 },
      'choice_count',
      'rule-violated',
      { choice_count: 2 },
    ],
    [
      'uint32.lte',
      'envoy.config.cluster.v3.OutlierDetection',
      { max_ejection_percent: 101 },
      'max_ejection_percent',
      'rule-violated',
      { max_ejection_percent: 100 },
    ],
    ['uint32.lt', `${route}.DirectResponseAction`, { status: 600 }, 'status', 'rule-violated', { status: 599 }],
    [
      'uint32.gt',
      'envoy.config.endpoint.v3.ClusterLoadAssignment.Policy',
      { overprovisioning_factor: 0 },
      'overprovisioning_factor',
      'rule-violated',
      { overprovisioning_factor: 1 },
    ],
    [
      'uint64.lte',
      `${cluster}.RingHashLbConfig`,
      { minimum_ring_size: '8388609' },
      'minimum_ring_size',
      'rule-violated',
      { minimum_ring_size: '8388608' },
    ],
    [
      'int64.gt',
      'envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
      { max_active_downstream_connections: '0' },
      'max_active_downstream_connections',
      'rule-violated',
      { max_active_downstream_connections: '1' },
    ],
    ['double.gt', `${core}.RateLimitSettings`, { fill_rate: 0 }, 'fill_rate', 'rule-violated', { fill_rate: 0.5 }],
    [
      'double.lte and gte',
      `${cluster}.PreconnectPolicy`,
      { predictive_preconnect_ratio: 'NaN' },
      'predictive_preconnect_ratio',
      'rule-violated',
      { predictive_preconnect_ratio: 3 },
    ],
    ['bool.const', 'envoy.config.rbac.v3.Permission', { any: false }, 'any', 'rule-violated', { any: true }],
    ['enum.defined_only', cluster, { name: 'a', type: 99 }, 'type', 'rule-violated', { name: 'a', type: 0 }],
    [
      'enum without defined_only',
      listener,
      { traffic_direction: 1.5 },
      'traffic_direction',
      'bad-value',
      { traffic_direction: 99 },
    ],
    ['enum.not_in of an absent field', 'envoy.type.v3.HttpStatus', {}, 'code', 'required', { code: 'OK' }],
    [
      'duration.gt',
      cluster,
      { name: 'a', connect_timeout: '0s' },
      'connect_timeout',
      'rule-violated',
      { name: 'a', connect_timeout: '0.000000001s' },
    ],
    [
      'duration.gte',
      bootstrap,
      { stats_flush_interval: '0.0009s' },
      'stats_flush_interval',
      'rule-violated',
      { stats_flush_interval: '0.001s' },
    ],
    [
      'duration.lt',
      bootstrap,
      { stats_flush_interval: '300s' },
      'stats_flush_interval',
      'rule-violated',
      { stats_flush_interval: '299.999s' },
    ],
    [
      'duration bounds the wrong way round mean outside',
      `${core}.QuicKeepAliveSettings`,
      { initial_interval: '0.0005s' },
      'initial_interval',
      'rule-violated',
      { initial_interval: '0s' },
    ],
  ]);
});
