import { describe, expect, test } from 'vitest';
import { type ApiProblemCode, checkMessage } from './check.ts';

const bootstrap = 'envoy.config.bootstrap.v3.Bootstrap';
const cluster = 'envoy.config.cluster.v3.Cluster';
const listener = 'envoy.config.listener.v3.Listener';
const core = 'envoy.config.core.v3';
const route = 'envoy.config.route.v3';

type Row = readonly [rule: string, type: string, bad: unknown, path: string, code: ApiProblemCode, good: unknown];

const router = { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' };
const healthCheck = {
  timeout: '1s',
  interval: '1s',
  unhealthy_threshold: 1,
  healthy_threshold: 1,
  tcp_health_check: {},
};
const long = 'x'.repeat(16_385);

/** One bad and one good message for each kind of rule; the good one differs by as little as can be. */
const rows: readonly Row[] = [
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
  ['null in a oneof is absence', `${route}.RouteMatch`, { prefix: null }, '', 'required', { prefix: '/', path: null }],
  ['optional scalar is no oneof', 'google.rpc.Status', { codes: 1 }, 'codes', 'unknown-field', { code: 1 }],
  ['string.min_len', `${core}.Pipe`, { path: '' }, 'path', 'rule-violated', { path: 'a' }],
  ['string.min_len of an absent field', `${core}.Pipe`, {}, 'path', 'required', { path: 'a' }],
  [
    'string.max_len',
    'envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig',
    { path_template: `/${'a'.repeat(256)}` },
    'path_template',
    'rule-violated',
    { path_template: `/${'a'.repeat(255)}` },
  ],
  [
    'string.max_bytes',
    `${core}.HeaderValue`,
    { key: 'a', value: long },
    'value',
    'rule-violated',
    { key: 'a', value: long.slice(1) },
  ],
  [
    'string.max_bytes counts bytes',
    `${core}.HeaderValue`,
    { key: 'a', value: 'é'.repeat(8193) },
    'value',
    'rule-violated',
    { key: 'a', value: 'é'.repeat(8192) },
  ],
  [
    'string.pattern',
    `${route}.RouteMatch`,
    { path_separated_prefix: '/a/' },
    'path_separated_prefix',
    'rule-violated',
    { path_separated_prefix: '/a' },
  ],
  ['string.prefix', `${route}.RateLimit.HitsAddend`, { format: 'A%' }, 'format', 'rule-violated', { format: '%A%' }],
  ['string.suffix', `${route}.RateLimit.HitsAddend`, { format: '%A' }, 'format', 'rule-violated', { format: '%A%' }],
  [
    'string.in',
    `${core}.SchemeHeaderTransformation`,
    { scheme_to_overwrite: 'ftp' },
    'scheme_to_overwrite',
    'rule-violated',
    { scheme_to_overwrite: 'https' },
  ],
  ['header name, not strict', `${core}.HeaderValue`, { key: 'a\nb' }, 'key', 'rule-violated', { key: 'a b' }],
  [
    'header value, not strict',
    `${core}.HeaderValue`,
    { key: 'a', value: '\0' },
    'value',
    'rule-violated',
    { key: 'a', value: '\u0001' },
  ],
  [
    'string.ignore_empty',
    `${core}.UpstreamHttpProtocolOptions`,
    { override_auto_sni_header: '\n' },
    'override_auto_sni_header',
    'rule-violated',
    { override_auto_sni_header: '' },
  ],
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
    'bytes.min_len',
    'envoy.config.common.matcher.v3.HttpGenericBodyMatch.GenericTextMatch',
    { binary_match: '' },
    'binary_match',
    'rule-violated',
    { binary_match: 'AA==' },
  ],
  [
    'bytes.max_len',
    `${core}.HeaderValue`,
    { key: 'a', raw_value: Buffer.alloc(16_385).toString('base64') },
    'raw_value',
    'rule-violated',
    { key: 'a', raw_value: Buffer.alloc(16_384).toString('base64') },
  ],
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
];

describe('the rules of protoc-gen-validate', () => {
  test.each(rows)(
    '%s: a breach is found where it is, and nothing in its good twin',
    (_, type, bad, path, code, good) => {
      expect(checkMessage(type, bad).map((problem) => [problem.path, problem.code])).toEqual([[path, code]]);
      expect(checkMessage(type, good)).toEqual([]);
    },
  );
});
