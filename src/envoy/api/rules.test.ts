import { describe } from 'vitest';
import { testRows } from './testing/rule-row.ts';

const cluster = 'envoy.config.cluster.v3.Cluster';
const core = 'envoy.config.core.v3';
const route = 'envoy.config.route.v3';
const router = { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' };
const healthCheck = {
  timeout: '1s',
  interval: '1s',
  unhealthy_threshold: 1,
  healthy_threshold: 1,
  tcp_health_check: {},
};

describe('rules of protoc-gen-validate on presence, lists and maps', () => {
  testRows([
    [
      'message.required',
      'envoy.config.accesslog.v3.DurationFilter',
      {},
      'comparison',
      'required',
      { comparison: { value: { runtime_key: 'a' } } },
    ],
    [
      'any.required',
      `${core}.TypedExtensionConfig`,
      { name: 'a' },
      'typed_config',
      'required',
      { name: 'a', typed_config: router },
    ],
    ['duration.required', `${core}.BackoffStrategy`, {}, 'base_interval', 'required', { base_interval: '1s' }],
    [
      'message.required within a oneof',
      `${route}.RouteMatch`,
      { prefix: '/', grpc: 1 },
      'grpc',
      'wrong-type',
      { prefix: '/' },
    ],
    ['oneof required', `${core}.Address`, {}, '', 'required', { pipe: { path: 'a' } }],
    ['oneof conflict', `${route}.RouteMatch`, { prefix: '/', path: '/' }, 'path', 'oneof-conflict', { path: '/' }],
    [
      'null in a oneof is absence',
      `${route}.RouteMatch`,
      { prefix: null },
      '',
      'required',
      { prefix: '/', path: null },
    ],
    ['optional scalar is no oneof', 'google.rpc.Status', { codes: 1 }, 'codes', 'unknown-field', { code: 1 }],
    [
      'repeated.min_items',
      `${route}.VirtualHost`,
      { name: 'a', domains: [] },
      'domains',
      'rule-violated',
      { name: 'a', domains: ['*'] },
    ],
    [
      'repeated.max_items',
      cluster,
      { name: 'a', health_checks: Array(9).fill(healthCheck) },
      'health_checks',
      'rule-violated',
      { name: 'a', health_checks: [] },
    ],
    [
      'repeated.unique',
      'envoy.config.metrics.v3.HistogramBucketSettings',
      { match: { exact: 'a' }, buckets: [1, 1] },
      'buckets',
      'rule-violated',
      { match: { exact: 'a' }, buckets: [1, 2] },
    ],
    [
      'repeated.items',
      'envoy.config.listener.v3.FilterChainMatch',
      { source_ports: [80, 0] },
      'source_ports[1]',
      'rule-violated',
      { source_ports: [80] },
    ],
    [
      'map.min_pairs',
      'xds.type.matcher.v3.Matcher.MatcherTree.MatchMap',
      { map: {} },
      'map',
      'rule-violated',
      { map: { a: { action: { name: 'a', typed_config: router } } } },
    ],
    [
      'map.keys',
      `${core}.Metadata`,
      { filter_metadata: { '': {} } },
      'filter_metadata[""]',
      'rule-violated',
      { filter_metadata: { a: {} } },
    ],
    [
      'message.skip',
      `${core}.KeyValueAppend`,
      { entry: { keys: 'a' } },
      'entry.keys',
      'unknown-field',
      { entry: {}, record: { key: 'a' } },
    ],
  ]);
});
