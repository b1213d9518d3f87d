import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkKeys } from './check-keys.ts';
import { keySetText, kidsOf, publicJwk } from './testing/keys.ts';

let ec: JWK = {};
let rsa: JWK = {};
let other: JWK = {};

beforeAll(async () => {
  [ec, rsa, other] = await Promise.all([publicJwk('ec'), publicJwk('rsa', 'RS256'), publicJwk('other', 'ES384')]);
});

describe('checkKeys', () => {
  test.each(['RS256', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])('takes a public key for %s', async (alg) => {
    const key = await publicJwk('a', alg);
    const { alg: _alg, kid: _kid, ...bare } = key;
    for (const jwk of [key, bare, { ...key, use: 'sig', key_ops: ['verify'] }]) {
      const { refused, text } = await checkKeys(keySetText(jwk));
      expect(refused).toMatchObject([]);
      expect(JSON.parse(text).keys).toHaveLength(1);
    }
  });

  test('gives the same text whatever the order, the spelling and the further members', async () => {
    const plain = await checkKeys(keySetText(ec, rsa, other));
    const { kty, ...rest } = ec;
    const shuffled = { keys: [{ ...rest, kty, x5t: 'AA', use: 'sig' }, other, rsa, ec], note: 'a' };
    const again = await checkKeys(JSON.stringify(shuffled, undefined, 4));
    expect(again).toEqual(plain);
    expect(kidsOf(plain.text)).toEqual(['ec', 'other', 'rsa']);
  });

  test('keeps two keys with one kid, and gives another digest for another key', async () => {
    const twin = { ...other, kid: 'ec' };
    const both = await checkKeys(keySetText(ec, twin));
    expect(kidsOf(both.text)).toEqual(['ec', 'ec']);
    expect(both.digest).not.toBe((await checkKeys(keySetText(ec))).digest);
  });

  test.each<[string, (key: JWK) => unknown, RegExp]>([
    ['a symmetric key', () => ({ kty: 'oct', kid: 'ec', k: 'c2VjcmV0' }), /^is symmetric/],
    ['a key with a private member', (key) => ({ ...key, d: 'c2VjcmV0' }), /^is private/],
    ['a key with a private member that is no text', (key) => ({ ...key, d: null }), /^is private/],
    ['a public key with a symmetric member', (key) => ({ ...key, k: 'c2VjcmV0' }), /^is private/],
    ['an encryption key', (key) => ({ ...key, use: 'enc' }), /use/],
    ['a key that may not verify', (key) => ({ ...key, key_ops: ['sign'] }), /key_ops/],
    ['a point off the curve', (key) => ({ ...key, y: key.x }), /not on its curve/],
    ['a coordinate that is too short', (key) => ({ ...key, x: 'AQAB' }), /well-formed "x"/],
    ['base64 that is not base64url', (key) => ({ ...key, x: `${key.x?.slice(0, -1)}+` }), /well-formed "x"/],
    ['padded base64url', (key) => ({ ...key, x: `${key.x}=` }), /well-formed "x"/],
    ['a missing coordinate', ({ y: _y, ...key }) => key, /well-formed "y"/],
    ['an algorithm of another kind', (key) => ({ ...key, alg: 'HS256' }), /"alg".*HS256/],
    ['an algorithm of another curve', (key) => ({ ...key, alg: 'ES512' }), /"alg"/],
    ['an unknown curve', (key) => ({ ...key, crv: 'secp256k1' }), /cannot verify.*secp256k1/],
    ['an unknown type', (key) => ({ ...key, kty: 'AKP' }), /cannot verify/],
    ['a kid that is a number', (key) => ({ ...key, kid: 7 }), /"kid"/],
    ['text', () => 'key', /not a JSON object/],
    ['null', () => null, /not a JSON object/],
  ])('leaves out %s beside a good key, and names it', async (_name, spoil, reason) => {
    const { text, refused } = await checkKeys(keySetText(other, spoil(ec)));
    expect(kidsOf(text)).toEqual(['other']);
    expect(refused).toMatchObject([
      { key: expect.stringMatching(/^key (?:"ec"|number 2)$/), reason: expect.stringMatching(reason) },
    ]);
    expect(text).not.toContain('c2VjcmV0');
  });

  test.each([
    ['a short modulus', { n: Buffer.alloc(128, 0xff).toString('base64url') }, /1024 bits/],
    ['a modulus that makes Envoy slow', { n: Buffer.alloc(2048, 0xff).toString('base64url') }, /16384 bits/],
    ['the exponent 1', { e: 'AQ' }, /exponent/],
    ['an even exponent', { e: 'BA' }, /exponent/],
    ['an exponent beyond what Envoy takes', { e: '__________8' }, /exponent|numbers/],
  ])('refuses RSA with %s', async (_name, members, reason) => {
    await expect(checkKeys(keySetText({ ...rsa, ...members }))).rejects.toThrow(reason);
  });

  test('refuses the whole private key of an issuer', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    await expect(checkKeys(keySetText(await exportJWK(privateKey)))).rejects.toMatchObject({
      code: 'keys-withdrawn',
      message: 'no key of the set is usable: key number 1 is private: whoever reads the set can sign',
    });
  });

  test.each([
    ['', 'answer-invalid', /not JSON/],
    ['<html>secret</html>', 'answer-invalid', /^the key set is not JSON$/],
    ['[]', 'answer-invalid', /"array"/],
    ['null', 'answer-invalid', /"null"/],
    ['{}', 'answer-invalid', /"keys"/],
    ['{"keys":{}}', 'answer-invalid', /"keys"/],
    ['{"keys":[]}', 'keys-withdrawn', /empty/],
    [keySetText(...Array.from({ length: 101 }, () => ({}))), 'keys-unusable', /101 keys/],
    [keySetText(...Array.from({ length: 9 }, () => ({}))), 'keys-withdrawn', /key number 3 .*; and 6 more$/],
    [keySetText({ kid: 'a\u0000\n\u{1f600}', kty: 'oct' }), 'keys-withdrawn', /key "a\\u0000\\n\\ud83d\\ude00"/],
    [keySetText({ kid: 'a'.repeat(9000), kty: 'oct' }), 'keys-withdrawn', /^.{0,300}$/],
  ])('says of %.40j: %s', async (text, code, message) => {
    await expect(checkKeys(text)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});
