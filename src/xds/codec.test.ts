import { describe, expect, test } from 'vitest';
import { encodeMessage } from '../envoy/api/encode.ts';
import { deltaCodec, stateOfTheWorldCodec } from './codec.ts';

const typeUrl = 'type.googleapis.com/test.Named';
const discovery = 'envoy.service.discovery.v3';

/** Around each number of bytes from which on a length takes one byte more. */
const sizes = [0, 1, 60, 127, 128, 16_200, 16_383, 16_384, 2_097_151, 2_097_152];
const bodies = sizes.map((size) => Buffer.alloc(size, size));
const texts = ['', 'a', 'Übergrößenträger', 'x'.repeat(127), 'ü'.repeat(64), '😀', 'n'.repeat(20_000)];

function bytesOf(message: string, json: object): Buffer {
  return Buffer.from(encodeMessage(`${discovery}.${message}`, json));
}

describe('the codecs of responses', () => {
  const named = texts.map((name) => [name.length, name] as const);

  test.each(named)('write what the encoder of all messages writes, with texts of %i letters', (_length, name) => {
    const resources = bodies.map((body, i) => ({ name, version: texts[i % texts.length] as string, body }));
    const response = { typeUrl, systemVersion: name, nonce: name, resources, removed: ['gone', name] };
    const expected = bytesOf('DeltaDiscoveryResponse', {
      ...{ system_version_info: name, type_url: typeUrl, nonce: name, removed_resources: ['gone', name] },
      resources: resources.map(({ version, body }) => ({ name, version, resource: { typeUrl, value: body } })),
    });
    expect(deltaCodec.encode(response).equals(expected)).toBe(true);
  });

  test('write resources without names in the form of the state of the world', () => {
    const expected = bytesOf('DiscoveryResponse', {
      ...{ version_info: '7', type_url: typeUrl, nonce: 'n' },
      resources: bodies.map((value) => ({ typeUrl, value })),
    });
    const response = { typeUrl, versionInfo: '7', nonce: 'n', resources: bodies };
    expect(stateOfTheWorldCodec.encode(response).equals(expected)).toBe(true);
  });

  test('write a response without anything', () => {
    const none = { typeUrl: '', nonce: '', resources: [] };
    expect(deltaCodec.encode({ ...none, systemVersion: '', removed: [] })).toHaveLength(0);
    expect(stateOfTheWorldCodec.encode({ ...none, versionInfo: '' })).toHaveLength(0);
  });
});
