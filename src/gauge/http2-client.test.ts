import { describe, expect, test } from 'vitest';
import { refusalOf } from './http2-client.ts';

const request = { method: 'GET', path: '/', authority: 'cart.shop', headers: [] };

describe('refusalOf', () => {
  test.each([
    ['a header of HTTP/1.1', { headers: [['Connection', 'close']] as const }, 'connection'],
    ['TE that is not "trailers"', { headers: [['te', 'x']] as const }, 'te'],
    ['CONNECT', { method: 'CONNECT' }, 'CONNECT'],
  ])('tells why a request with %s cannot be sent', (_what, fields, word) => {
    expect(refusalOf({ ...request, ...fields })).toContain(word);
  });

  test('is undefined for a request that can be sent', () => {
    expect(
      refusalOf({
        ...request,
        headers: [
          ['te', 'trailers'],
          ['a', '1'],
          ['a', '2'],
        ],
      }),
    ).toBeUndefined();
  });
});
