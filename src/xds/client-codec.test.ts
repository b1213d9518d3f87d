import { describe, expect, test } from 'vitest';
import { encodeMessage } from '../envoy/api/encode.ts';
import { configurationTypes } from './aggregated-service.ts';
import { encodeDeltaAsk, readDeltaResponse } from './client-codec.ts';
import { deltaCodec } from './codec.ts';

const { typeUrl } = configurationTypes.routes;
const route = (name: string, own = name) => ({
  name,
  version: 'v1',
  body: encodeMessage('envoy.config.route.v3.RouteConfiguration', { name: own, virtual_hosts: [{ name: 'all' }] }),
});
const response = (...resources: ReturnType<typeof route>[]) =>
  deltaCodec.encode({ typeUrl, systemVersion: 's', nonce: '7', resources, removed: ['gone'] });

describe('readDeltaResponse', () => {
  test('gives the resources as bytes, and what is removed', () => {
    const sent = route('80');
    const { response: read, problem } = readDeltaResponse(response(sent));
    expect(problem).toBeUndefined();
    expect(read).toMatchObject({ typeUrl, nonce: '7', removed: ['gone'] });
    expect(read.resources.map(({ name, version }) => [name, version])).toEqual([['80', 'v1']]);
    expect(read.resources[0]?.body).toEqual(Uint8Array.from(sent.body));
  });

  test('names what is wrong with a resource', () => {
    const problems = [
      response(route('80'), route('80')),
      response(route('80', '81')),
      response({ ...route('80'), version: '' }),
      response({ ...route('80'), body: Uint8Array.of(0x0a, 9, 1) }),
    ].map((bytes) => readDeltaResponse(bytes).problem);
    expect(problems).toEqual([
      '80: it comes twice',
      '80: the resource is named "81"',
      'a resource has no name or no version',
      '80: it is cut off',
    ]);
  });

  test('takes no resource of a response that is cut off, wherever that is', () => {
    const whole = response(route('80'), route('81'));
    const { length } = readDeltaResponse(whole).response.resources;
    for (let end = 1; end < whole.length; end += 1) {
      try {
        const { response: read, problem } = readDeltaResponse(whole.subarray(0, end));
        // Fields that come last may be missing as a whole: what is there is whole, or is refused.
        for (const { body } of read.resources) if (problem === undefined) expect(body.length).toBeGreaterThan(5);
        expect(read.resources.length).toBeLessThanOrEqual(length);
      } catch (error) {
        expect((error as Error).message).toMatch(/cut off|longer|out of range|invalid/);
      }
    }
  });
});

describe('encodeDeltaAsk', () => {
  test('says what the server reads: who asks, what it has, and why it refuses', () => {
    const ask = encodeDeltaAsk({
      ...{ typeUrl, node: { id: 'sidecar~ip~web.foo~x', envoyVersion: '1.40.0' }, subscribe: ['80'] },
      ...{ initialVersions: { 81: 'v1' }, nonce: '3', error: { code: 13, message: '80: no such filter' } },
    });
    expect(deltaCodec.decode(ask)).toMatchObject({
      ...{ node: { id: 'sidecar~ip~web.foo~x', envoyVersion: '1.40.0' }, subscribe: ['80'] },
      ...{ initialVersions: { 81: 'v1' }, responseNonce: '3' },
      errorDetail: { code: 13, message: '80: no such filter' },
    });
  });
});
