import { describe, expect, test } from 'vitest';
import { createTokenMint } from '../testing/token-mint.ts';
import { authenticateReader, onlyBearer } from './reader.ts';
import { parseKeySet } from './token-keys.ts';

const mint = createTokenMint();
const keys = parseKeySet(mint.keySet);
const source = { issuer: mint.issuer, keys: async () => keys, close: () => undefined };
const now = Math.floor(Date.now() / 1000);

describe('authenticateReader', () => {
  const read = async (claims: Readonly<Record<string, unknown>>, by = mint) => {
    const form = { claims: { sub: 'ops@example.com', aud: 'mesh-debug', debug_namespaces: ['foo'], ...claims } };
    return authenticateReader(await by.mint('foo/httpbin', form), source, Date.now);
  };

  test('reads the namespaces of a token for mesh-debug, whatever its subject', async () => {
    const reader = { subject: 'ops@example.com', namespaces: new Set(['foo', 'bar-1']) };
    expect(await read({ debug_namespaces: ['foo', 'bar-1'] })).toEqual({ reader });
    expect(await read({ debug_namespaces: ['*'] })).toMatchObject({ reader: { namespaces: 'all' } });
  });

  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['for the certificate authority', { aud: ['mesh-ca'] }, /audience/],
    ['without an audience', { aud: undefined }, /no audience/],
    ['without an end', { exp: undefined }, /no end/],
    ['that has expired', { exp: now - 60 }, /"exp"/],
    ['of another issuer', { iss: 'https://evil.example.com' }, /"iss"/],
    ['without a subject', { sub: undefined }, /no subject/],
    ['that names no namespaces', { debug_namespaces: undefined }, /no list of namespaces/],
    ['with a text in place of a list', { debug_namespaces: 'foo' }, /no list of namespaces/],
    ['with an empty list', { debug_namespaces: [] }, /no list of namespaces/],
    ['with all and some', { debug_namespaces: ['*', 'foo'] }, /no list of namespaces/],
    ['with a number among names', { debug_namespaces: ['foo', 3] }, /no list of namespaces/],
    ['with what is no name', { debug_namespaces: ['foo/bar'] }, /no list of namespaces/],
  ])('refuses a token %s', async (_name, claims, problem) => {
    expect(await read(claims)).toMatchObject({ problem: expect.stringMatching(problem) });
  });

  test('refuses a token of another key', async () => {
    expect((await read({}, createTokenMint())).problem).toMatch(/signature verification failed/);
  });

  test('one bearer token is read of the header, and none of two', () => {
    expect(onlyBearer(['Bearer a'])).toBe('a');
    for (const headers of [[], ['Bearer'], ['Basic eDp5'], ['Bearer a', 'Bearer a']])
      expect(onlyBearer(headers)).toBeUndefined();
  });
});
