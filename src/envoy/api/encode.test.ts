import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/effort.ts';
import { checkMessage } from './check.ts';
import { samples } from './corpus/samples.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';

const bootstrapType = 'envoy.config.bootstrap.v3.Bootstrap';
const schemaText = readFileSync(new URL('./schema.json', import.meta.url), 'utf8');
const root = protobuf.Root.fromJSON(withOwnStruct(JSON.parse(schemaText) as protobuf.INamespace));

/** protobufjs' ProtoJSON knows google.protobuf.Value by its own spelling of the field names only. */
function withOwnStruct(schema: protobuf.INamespace): protobuf.INamespace {
  const google = schema.nested?.google as protobuf.INamespace;
  const own = protobuf.common.get('google/protobuf/struct.proto')?.nested?.google as protobuf.INamespace;
  const wellKnown = google.nested?.protobuf as protobuf.INamespace;
  const struct = own.nested?.protobuf as protobuf.INamespace;
  Object.assign(wellKnown.nested ?? {}, struct.nested);
  return schema;
}

/** What protobufjs' own implementation of ProtoJSON makes of the message. */
function oracle(typeName: string, json: unknown): Uint8Array {
  const type = root.lookupType(typeName);
  return type.encode(protojson.fromJson(type, sortKeys(json))).finish();
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sortKeys(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const messages: readonly (readonly [string, unknown])[] = [
  ...samples().map(({ bootstrap }) => [bootstrapType, bootstrap] as const),
  ['google.protobuf.Duration', '-1.5s'],
  ['google.protobuf.Duration', '315576000000s'],
  ['google.protobuf.Timestamp', '1969-12-31T23:59:59.250Z'],
  ['google.protobuf.Struct', { a: [1, null, 'x', true, { b: {} }], é: -0.5 }],
  ['google.protobuf.UInt64Value', '18446744073709551615'],
  ['google.protobuf.Int64Value', '-9223372036854775808'],
  ['google.protobuf.DoubleValue', 'NaN'],
  ['google.protobuf.Any', { '@type': 'type.googleapis.com/google.protobuf.Duration', value: '0.001s' }],
  ['google.protobuf.BytesValue', 'AAECAw=='],
  ['envoy.config.route.v3.RetryPolicy', { retriable_status_codes: [200, 503], numRetries: 0 }],
  ['envoy.config.core.v3.SocketAddress', { address: 'a', port_value: 0 }],
  ['envoy.config.core.v3.SocketAddress', { address: 'a' }],
];

describe('encodeMessage', () => {
  test.each(messages)('writes the bytes that protobufjs writes: %s', (type, json) => {
    expect(Buffer.from(encodeMessage(type, json)).toString('hex')).toBe(
      Buffer.from(oracle(type, json)).toString('hex'),
    );
  });

  test('takes an Any that is encoded already', () => {
    const value = encodeMessage('google.protobuf.StringValue', 'x');
    const response = { version_info: '1', nonce: 'n', type_url: 't' };
    const packed = { typeUrl: 'type.googleapis.com/google.protobuf.StringValue', value };
    const open = { '@type': packed.typeUrl, value: 'x' };
    const type = 'envoy.service.discovery.v3.DiscoveryResponse';
    expect(encodeMessage(type, { ...response, resources: [packed] })).toEqual(
      encodeMessage(type, { ...response, resources: [open] }),
    );
  });

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (metadata) => {
        const reversed = Object.fromEntries(Object.entries(metadata).reverse());
        const node = (fields: object): unknown => ({ node: { id: 'n', metadata: fields } });
        expect(encodeMessage(bootstrapType, node(metadata))).toEqual(encodeMessage(bootstrapType, node(reversed)));
      }),
      runs(),
    );
  });
});

describe('decodeMessage', () => {
  test.each(messages)('gives a message that encodes to the same bytes and passes the checker: %s', (type, json) => {
    const bytes = encodeMessage(type, json);
    const decoded = decodeMessage(type, bytes);
    expect(encodeMessage(type, decoded)).toEqual(bytes);
    if (type === bootstrapType) expect(checkMessage(type, decoded)).toEqual([]);
  });

  test('reads a discovery request with a refusal as Envoy sends it', () => {
    const request = {
      version_info: '1',
      node: { id: 'sidecar', metadata: { a: null } },
      resource_names: ['default', 'ROOTCA'],
      type_url: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
      response_nonce: '2',
      error_detail: { code: 13, message: 'bad key' },
    };
    const type = 'envoy.service.discovery.v3.DiscoveryRequest';
    expect(decodeMessage(type, oracle(type, request))).toEqual(request);
  });

  test('keeps the bytes of an Any whose type is not in the schema', () => {
    const type = 'google.rpc.Status';
    const details = [{ typeUrl: 'type.googleapis.com/x.Y', value: Uint8Array.of(1, 2) }];
    expect(decodeMessage(type, encodeMessage(type, { details }))).toEqual({
      details: [{ '@type': 'type.googleapis.com/x.Y', value: 'AQI=' }],
    });
  });

  test.each([
    ['cut short', Uint8Array.of(10, 5, 65)],
    ['a number without end', Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)],
  ])('throws at bytes that are no message: %s', (_, bytes) => {
    expect(() => decodeMessage('envoy.service.discovery.v3.DiscoveryRequest', bytes)).toThrow(/./);
  });
});

describe('decodeMessage', () => {
  test('reads a map of many entries in the time of its length, names of the language among its keys', () => {
    const type = 'envoy.service.discovery.v3.DeltaDiscoveryRequest';
    const keys = ['__proto__', 'constructor', ...Array.from({ length: 50_000 }, (_, i) => `name-${i}`)];
    const versions = Object.fromEntries(keys.map((key) => [key, '1']));
    const read = decodeMessage(type, encodeMessage(type, { initial_resource_versions: versions }));
    const { initial_resource_versions: found = {} } = read as { initial_resource_versions?: object };
    expect(Object.keys(found).sort()).toEqual([...keys].sort());
  });
});
