import { describe, expect, test } from 'vitest';
import { type ApiProblemCode, checkAny, checkMessage } from './check.ts';
import { samples } from './corpus/samples.ts';
import { fieldCheck } from './field.ts';
import { messageCheck } from './message.ts';
import { lookupType, type MessageSchema, messageNames } from './schema.ts';

const bootstrap = 'envoy.config.bootstrap.v3.Bootstrap';
const listener = 'envoy.config.listener.v3.Listener';
const core = 'envoy.config.core.v3';
const route = 'envoy.config.route.v3';

type Row = readonly [rule: string, type: string, bad: unknown, path: string, code: ApiProblemCode, good: unknown];

const router = { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' };

/** One bad and one good message for each form of JSON that is checked; the good one differs by as little as can be. */
const rows: readonly Row[] = [
  ['unknown field', listener, { adress: {} }, 'adress', 'unknown-field', { address: { pipe: { path: 'a' } } }],
  [
    'field in both spellings',
    listener,
    { statPrefix: 'a', stat_prefix: 'a' },
    'statPrefix',
    'duplicate-field',
    { statPrefix: 'a' },
  ],
  ['number for a string', listener, { name: 1 }, 'name', 'wrong-type', { name: '1' }],
  [
    'a number of any JSON that was too large to read',
    listener,
    { metadata: { filter_metadata: { a: { b: Number.POSITIVE_INFINITY } } } },
    'metadata.filter_metadata["a"]["b"]',
    'bad-value',
    { metadata: { filter_metadata: { a: { b: 1 } } } },
  ],
  ['half of a surrogate pair', listener, { name: '\ud800' }, 'name', 'bad-value', { name: '\ud83d\ude00' }],
  ['quoted bool', listener, { use_original_dst: 'true' }, 'use_original_dst', 'wrong-type', { use_original_dst: true }],
  [
    'number that is not whole',
    listener,
    { tcp_backlog_size: 1.5 },
    'tcp_backlog_size',
    'bad-value',
    { tcp_backlog_size: '1e3' },
  ],
  [
    'number beyond its type',
    listener,
    { tcp_backlog_size: 2 ** 32 },
    'tcp_backlog_size',
    'bad-value',
    { tcp_backlog_size: 2 ** 32 - 1 },
  ],
  ['64-bit number that lost digits', 'google.protobuf.Int64Value', 2 ** 53, '', 'bad-value', '9007199254740993'],
  [
    '64-bit number beyond its type',
    'google.protobuf.UInt64Value',
    '18446744073709551616',
    '',
    'bad-value',
    '18446744073709551615',
  ],
  ['base64', 'google.protobuf.BytesValue', 'a', '', 'bad-value', '_-8'],
  ['one value for a list', listener, { access_log: {} }, 'access_log', 'wrong-type', { access_log: [] }],
  ['null in a list', listener, { access_log: [null] }, 'access_log[0]', 'wrong-type', { access_log: null }],
  [
    'list for a map',
    `${core}.Metadata`,
    { filter_metadata: [] },
    'filter_metadata',
    'wrong-type',
    { filter_metadata: {} },
  ],
  [
    'enum in lower case',
    listener,
    { traffic_direction: 'inbound' },
    'traffic_direction',
    'unknown-enum-value',
    { traffic_direction: 'INBOUND' },
  ],
  [
    'disallowed enum value',
    `${core}.ApiConfigSource`,
    { api_type: 'DEPRECATED_AND_UNAVAILABLE_DO_NOT_USE' },
    'api_type',
    'disallowed',
    { api_type: 'GRPC' },
  ],
  [
    'disallowed field',
    `${route}.RateLimit.Action`,
    { dynamic_metadata: {} },
    'dynamic_metadata',
    'disallowed',
    { remote_address: {} },
  ],
  [
    'duration in milliseconds',
    listener,
    { listener_filters_timeout: '5ms' },
    'listener_filters_timeout',
    'bad-value',
    { listener_filters_timeout: '0.005s' },
  ],
  [
    'negative duration',
    listener,
    { listener_filters_timeout: '-1s' },
    'listener_filters_timeout',
    'bad-value',
    { listener_filters_timeout: '-0s' },
  ],
  [
    'duration beyond 64 bits of nanoseconds',
    listener,
    { listener_filters_timeout: '9223372036s' },
    'listener_filters_timeout',
    'bad-value',
    { listener_filters_timeout: '9223372035s' },
  ],
  [
    'a number too large to read',
    `${core}.RuntimeDouble`,
    { runtime_key: 'a', default_value: JSON.parse('1e400') },
    'default_value',
    'bad-value',
    { runtime_key: 'a', default_value: 'Infinity' },
  ],
  [
    'a number in quotes too large to read',
    `${core}.RuntimeDouble`,
    { runtime_key: 'a', default_value: '-1e400' },
    'default_value',
    'bad-value',
    { runtime_key: 'a', default_value: '-1e300' },
  ],
  ['timestamp', 'google.protobuf.Timestamp', '2030-01-31', '', 'bad-value', '2030-01-31T00:00:00Z'],
  [
    'Any without type',
    `${core}.TypedExtensionConfig`,
    { name: 'a', typed_config: {} },
    'typed_config.@type',
    'required',
    { name: 'a', typed_config: router },
  ],
  [
    'extension of another kind',
    'envoy.config.listener.v3.Filter',
    { name: 'a', typed_config: router },
    'typed_config.@type',
    'unknown-type',
    {
      name: 'a',
      typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.network.sni_cluster.v3.SniCluster' },
    },
  ],
  [
    'RE2',
    'envoy.type.matcher.v3.RegexMatcher',
    { regex: '(?=a)' },
    'regex',
    'rule-violated',
    { regex: '(?P<a>[[:word:]])' },
  ],
  [
    'C++ regular expression',
    'envoy.config.metrics.v3.TagSpecifier',
    { tag_name: 'a', regex: '(?P<n>a)' },
    'regex',
    'rule-violated',
    { tag_name: 'a', regex: '(?=a)' },
  ],
  [
    'IP address',
    `${core}.CidrRange`,
    { address_prefix: '10.1' },
    'address_prefix',
    'rule-violated',
    { address_prefix: '10.1.0.0' },
  ],
];

describe('checkMessage', () => {
  test.each(rows)(
    'finds a breach of %s where it is, and nothing in its good twin',
    (_, type, bad, path, code, good) => {
      expect(checkMessage(type, bad).map((problem) => [problem.path, problem.code])).toEqual([[path, code]]);
      expect(checkMessage(type, good)).toEqual([]);
    },
  );

  test('compiles every type of the schema: no rule in it is unknown', () => {
    for (const name of messageNames()) expect(() => checkMessage(name, {})).not.toThrow();
  });

  test('compiles every field of the schema, and none without rules is needed', () => {
    for (const name of messageNames()) {
      for (const [field, schema] of Object.entries((lookupType(name) as MessageSchema).fields)) {
        const { absent } = fieldCheck(`${name}.${field}`, schema, true, messageCheck);
        if (schema.options?.['(validate.rules)'] === undefined) expect(absent).toBeUndefined();
      }
    }
  });

  test('reports every problem, each with its path through lists, maps and Any', () => {
    const [inbound] = samples();
    const text = JSON.stringify(inbound?.bootstrap)
      .replaceAll('"prefix":"spiffe://cluster.local/ns/"', '"prefix":""')
      .replace('"codec_type":"AUTO"', '"codec_type":"AUTOO"');
    const manager = 'static_resources.listeners[0].filter_chains[0].filters[0].typed_config';
    const principal = 'principals[0].and_ids.ids[0].or_ids.ids[0].authenticated.principal_name.prefix';
    expect(checkMessage(bootstrap, JSON.parse(text))).toEqual([
      {
        path: `${manager}.codec_type`,
        code: 'unknown-enum-value',
        message: 'unknown value "AUTOO"',
        hint: 'did you mean "AUTO"?',
      },
      {
        path: `${manager}.http_filters[1].typed_config.rules.policies["ns[default]-policy[shop]-rule[0]"].${principal}`,
        code: 'rule-violated',
        message: 'must not be empty',
      },
    ]);
  });

  test('suggests the field that was meant', () => {
    expect(checkMessage(listener, { filter_chain: [] })[0]?.hint).toBe('did you mean "filter_chains"?');
  });

  test('stops where the parser of Envoy stops', () => {
    const nested = (depth: number): object => (depth === 0 ? { any: true } : { not_rule: nested(depth - 1) });
    expect(checkMessage('envoy.config.rbac.v3.Permission', nested(99))).toEqual([]);
    expect(checkMessage('envoy.config.rbac.v3.Permission', nested(100))).toMatchObject([{ code: 'too-deep' }]);
    expect(
      checkMessage('google.protobuf.Struct', JSON.parse(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`)),
    ).toMatchObject([{ code: 'too-deep' }]);
  });

  test('never repeats a string that may be a secret', () => {
    const secret = { name: 'a', tls_certificate: { private_key: { inline_string: 7, key: 'hunter2' } } };
    const problems = checkMessage('envoy.extensions.transport_sockets.tls.v3.Secret', secret);
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});

describe('checkAny', () => {
  const prefix = 'type.googleapis.com/';
  test.each([
    ['a type of the list', router, undefined],
    ['a well-known type', { '@type': `${prefix}google.protobuf.Duration`, value: '1s' }, undefined],
    ['a field of the message', { ...router, dynamic_stats: 'yes' }, 'wrong-type'],
    ['the value of a well-known type', { '@type': `${prefix}google.protobuf.Duration`, value: '1' }, 'bad-value'],
    ['a type that is no extension', { '@type': `${prefix}envoy.config.core.v3.Pipe`, path: 'a' }, 'unknown-type'],
    ['a type without prefix', { '@type': 'envoy.extensions.filters.http.router.v3.Router' }, 'bad-value'],
    ['an object without type', {}, 'required'],
    ['text', 'x', 'wrong-type'],
    [
      'a struct that stands for a type',
      { '@type': `${prefix}xds.type.v3.TypedStruct`, type_url: router['@type'], value: { x: 1 } },
      'unknown-field',
    ],
    [
      'a good struct that stands for a type',
      { '@type': `${prefix}xds.type.v3.TypedStruct`, type_url: router['@type'], value: {} },
      undefined,
    ],
  ])('judges %s', (_, any, code) => {
    expect(checkAny(any).map((problem) => problem.code)).toEqual(code === undefined ? [] : [code]);
  });
});
