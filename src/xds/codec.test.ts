import { describe, expect, test } from 'vitest';
import { deltaCodec, stateOfTheWorldCodec } from './codec.ts';

const typeUrl = 'type.googleapis.com/test.Named';

describe('the codecs of responses', () => {
  const delta = (body: Uint8Array) => {
    const response = {
      typeUrl,
      systemVersion: '1',
      nonce: '1',
      resources: [{ name: 'a', version: '1', body }],
      removed: [],
    };
    return (isAlone: boolean) => deltaCodec.encode(response, isAlone);
  };
  const whole = (body: Uint8Array) => {
    const response = { typeUrl, versionInfo: '1', nonce: '1', resources: [body] };
    return (isAlone: boolean) => stateOfTheWorldCodec.encode(response, isAlone);
  };

  test.each([delta, whole])('write the same bytes for a client that is alone, and keep none of them', (of) => {
    const body = Buffer.from('one');
    const encode = of(body);
    expect(encode(true)).toEqual(of(Buffer.from('one'))(false));
    body.write('two');
    // What was kept would be as before.
    expect(encode(true)).toEqual(of(Buffer.from('two'))(false));
    encode(false);
    body.write('new');
    expect(encode(false)).toEqual(of(Buffer.from('two'))(false));
  });
});
