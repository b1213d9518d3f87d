import { describe, expect, test } from 'vitest';
import { checkAny, checkMessage } from './check.ts';
import { samples } from './corpus/samples.ts';
import { fieldCheck } from './field.ts';
import { messageCheck } from './message.ts';
import { lookupType, type MessageSchema, messageNames } from './schema.ts';
import { breaches } from './testing/breaches.ts';
import { testRows } from './testing/rule-row.ts';

const bootstrap = 'envoy.config.bootstrap.v3.Bootstrap';
const listener = 'envoy.config.listener.v3.Listener';
const router = { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' };

describe('checkMessage', () => {
  testRows(breaches);

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
