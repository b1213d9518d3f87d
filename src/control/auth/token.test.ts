import { generateKeyPairSync } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createTokenMint } from '../testing/token-mint.ts';
import { authenticateToken, type TokenRules } from './token.ts';
import { parseKeySet } from './token-keys.ts';

const mint = createTokenMint();
const stranger = createTokenMint();
const now = Math.floor(Date.now() / 1000);

function rulesOf(form: Partial<TokenRules> = {}, keySet = mint.keySet): TokenRules {
  const keys = parseKeySet(keySet);
  const source = { issuer: mint.issuer, keys: async () => keys, close: () => undefined };
  return { source, audiences: ['mesh-ca', 'istio-ca'], isFirstParty: false, clock: Date.now, ...form };
}

const account = { namespace: 'foo', serviceAccount: 'httpbin', by: 'token' };

describe('authenticateToken', () => {
  test.each<[string, object]>([
    ['our audience among several', { aud: ['https://cluster', 'mesh-ca'] }],
    ['the audience of Istio', { aud: 'istio-ca' }],
    ['an issuer’s clock that is a little ahead', { nbf: now + 4, iat: now + 4 }],
  ])('accepts a token with %s', async (_, claims) => {
    expect(await authenticateToken(await mint.mint('foo/httpbin', { claims: { ...claims } }), rulesOf())).toEqual({
      caller: account,
    });
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['another audience', { aud: ['vault'] }, /audience of the token is \["vault"\]/],
    ['no audience', { aud: undefined }, /the token has no audience/],
    ['another issuer', { iss: 'https://evil.example.com' }, /unexpected "iss" claim value/],
    ['no issuer', { iss: undefined }, /missing required "iss" claim/],
    ['an end that has passed', { exp: now - 60 }, /"exp" claim timestamp check failed/],
    ['an end in 1970', { exp: 0 }, /"exp" claim timestamp check failed/],
    ['no end', { exp: undefined }, /the token has no end/],
    ['a start that has not come', { nbf: now + 60 }, /"nbf" claim timestamp check failed/],
    ['a time of issue that has not come', { iat: now + 60 }, /the token was issued in the future/],
    ['a time of issue that is no number', { iat: 'today' }, /"iat" claim must be a number/],
    ['no subject', { sub: undefined }, /subject of the token is no service account/],
    ['a subject of three parts', { sub: 'system:serviceaccount:foo' }, /no service account/],
    ['a subject of five parts', { sub: 'system:serviceaccount:foo:httpbin:x' }, /no service account/],
    ['a user', { sub: 'system:node:foo:httpbin' }, /no service account/],
    ['a namespace that would be two', { sub: 'system:serviceaccount:foo/sa/admin:x' }, /no service account/],
    ['an empty name', { sub: 'system:serviceaccount:foo:' }, /no service account/],
    ['a name in capitals', { sub: 'system:serviceaccount:Foo:bar' }, /no service account/],
  ])('refuses a token with %s', async (_, claims, expected) => {
    expect((await authenticateToken(await mint.mint('foo/httpbin', { claims }), rulesOf())).problem).toMatch(expected);
  });

  test('refuses a token with an extension that its verifier must know', async () => {
    const token = await mint.mint('foo/httpbin', { header: { crit: ['x'], x: 1 } });
    expect((await authenticateToken(token, rulesOf())).problem).toMatch(/Header Parameter "x" is not recognized/);
  });

  test('refuses a token of another key under the same name', async () => {
    const { problem } = await authenticateToken(await stranger.mint('foo/httpbin'), rulesOf());
    expect(problem).toBe('the token is refused: signature verification failed');
  });

  test('refuses a token that names a key nobody knows', async () => {
    const token = await stranger.mint('foo/httpbin', { kid: 'second' });
    expect((await authenticateToken(token, rulesOf())).problem).toBe('the token is signed by no key that is known');
  });

  test('never takes a public key for a shared secret, and never a token without a signature', async () => {
    const secret = Buffer.from(String(mint.publicKey.export({ format: 'pem', type: 'spki' })));
    const claims = { iss: mint.issuer, aud: 'mesh-ca', sub: 'system:serviceaccount:foo:httpbin', exp: now + 60 };
    const keySet = JSON.stringify({ keys: [{ ...mint.publicKey.export({ format: 'jwk' }) }] });
    const forged = [
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret),
      new UnsecuredJWT(claims).encode(),
    ];
    for (const token of forged) expect((await authenticateToken(token, rulesOf({}, keySet))).caller).toBeUndefined();
  });

  test('tries each key if the keys have no ids', async () => {
    const { kid: _, ...first } = JSON.parse(stranger.keySet).keys[0];
    const { kid: __, ...second } = JSON.parse(mint.keySet).keys[0];
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
    const keySet = JSON.stringify({ keys: [rsa, first, second] });
    expect(await authenticateToken(await mint.mint('foo/httpbin'), rulesOf({}, keySet))).toEqual({ caller: account });
  });

  test.each([
    ['words', 'not a token'],
    ['two parts', 'e30.e30'],
    ['a megabyte', `${'a'.repeat(2 ** 20)}.b.c`],
  ])('refuses %s, and does not repeat it', async (_, token) => {
    const { problem } = await authenticateToken(token, rulesOf());
    expect(problem).toMatch(/^the token /);
    expect(problem).not.toContain(token);
  });

  test('accepts legacy tokens with JWT_POLICY=first-party-jwt: without audience, without expiry, or for the issuer', async () => {
    const rules = rulesOf({ isFirstParty: true });
    for (const claims of [{ aud: undefined, exp: undefined }, { aud: [mint.issuer] }]) {
      expect(await authenticateToken(await mint.mint('foo/httpbin', { claims }), rules)).toEqual({ caller: account });
    }
    expect(
      (await authenticateToken(await mint.mint('foo/httpbin', { claims: { aud: ['vault'] } }), rules)).caller,
    ).toBeUndefined();
  });
});

describe('parseKeySet', () => {
  test('ignores keys that are invalid, symmetric, or for another use', () => {
    const [key] = JSON.parse(mint.keySet).keys;
    const keys = [{ ...key, use: 'enc' }, { kty: 'oct', k: 'c2VjcmV0' }, { kty: 'EC', crv: 'nosuch' }, 7, key];
    expect(parseKeySet(JSON.stringify({ keys }))).toHaveLength(1);
    expect(parseKeySet('{')).toEqual([]);
    expect(parseKeySet('{"keys": 1}')).toEqual([]);
  });
});
