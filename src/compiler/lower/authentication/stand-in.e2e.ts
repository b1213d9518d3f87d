import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkKeys } from '../../../jwks/check-keys.ts';
import { keySetText } from '../../../jwks/testing/keys.ts';
import { startTokenGate, type TokenGate } from '../../../jwks/testing/token-gate.ts';
import { standInKeySet, standInKid, standInSentence } from './stand-in.ts';

const issuer = 'https://issuer.example.com';

describe('Envoy with the key set that verifies nothing', () => {
  let gate: TokenGate;
  const [standIn] = JSON.parse(standInKeySet).keys;
  const es256 = { alg: 'ES256', kid: standInKid };

  beforeAll(async () => {
    gate = await startTokenGate(issuer, standInKeySet);
  });
  afterAll(() => gate.close());

  test('answers 200 without a token', async () => {
    expect(await gate.status()).toBe(200);
  });

  test.each<[string, () => string]>([
    ['by a key of its own', () => forge(es256, signed(freshKey()))],
    ['by a key of its own, without a kid', () => forge({ alg: 'ES256' }, signed(freshKey()))],
    ['by a key that it brings along', () => bringKey()],
    ['by a key that it points to', () => forge({ ...es256, jku: 'http://127.0.0.1:1/' }, signed(freshKey()))],
    ['by the private key 1', () => forge(es256, signed(smallKey(1n)))],
    ['by the private key that the sentence hashes to', () => forge(es256, signed(smallKey(0n, standIn.x)))],
    ['with zeros', () => forge(es256, () => Buffer.alloc(64))],
    ['with the point itself', () => forge(es256, () => pointSignature())],
    ['with ones', () => forge(es256, () => Buffer.alloc(64, 0xff))],
    ['with nothing', () => forge(es256, () => Buffer.alloc(0))],
    ['in DER', () => forge(es256, (text) => sign('sha256', Buffer.from(text), freshKey()))],
    ['with alg none', () => forge({ alg: 'none', kid: standInKid }, () => Buffer.alloc(0))],
    ['with alg none and without a kid', () => forge({ alg: 'none' }, () => Buffer.alloc(0))],
    ...['HS256', 'RS256', 'ES384', 'EdDSA'].map((alg): [string, () => string] => [
      `with alg ${alg} for the same kid`,
      () => forge({ alg, kid: standInKid }, hmac(Buffer.from(standInKeySet))),
    ]),
    ...symmetricSecrets(standIn).map(([name, secret]): [string, () => string] => [
      `as HS256 by ${name}`,
      () => forge({ alg: 'HS256' }, hmac(secret)),
    ]),
  ])('answers 401 to a token signed %s', async (_name, token) => {
    expect(await gate.status(token())).toBe(401);
  });

  function pointSignature(): Buffer {
    return Buffer.concat([Buffer.from(standIn.x, 'base64url'), Buffer.from(standIn.y, 'base64url')]);
  }

  function bringKey(): string {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return forge({ ...es256, jwk: publicKey.export({ format: 'jwk' }) }, signed(privateKey));
  }
});

describe('the forgeries', () => {
  test('are well made: Envoy answers 200 to them where it has the key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const secret = Buffer.from('a secret that is shared');
    const keys: readonly (readonly [object, string])[] = [
      [publicKey.export({ format: 'jwk' }), forge({ alg: 'ES256' }, signed(privateKey))],
      [{ kty: 'oct', k: secret.toString('base64url') }, forge({ alg: 'HS256' }, hmac(secret))],
    ];
    for (const [key, token] of keys) {
      const gate = await startTokenGate(issuer, keySetText(key));
      expect(await gate.status(token)).toBe(200);
      await gate.close();
    }
  });
});

describe('Envoy with a key set that passed the check', () => {
  test.each(['RS256', 'RS384', 'PS256', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
    'loads a set of one %s key and answers 200 to its tokens, 401 to those of another',
    async (alg) => {
      const [ours, theirs] = await Promise.all([1, 2].map(() => generateKeyPair(alg, { extractable: true })));
      const { text } = await checkKeys(keySetText(await exportJWK(ours!.publicKey)));
      const gate = await startTokenGate(issuer, text);
      try {
        const statuses = [ours, theirs].map(async (pair) => {
          const jwt = new SignJWT({ sub: 'a' }).setProtectedHeader({ alg }).setIssuer(issuer).setExpirationTime('1h');
          return gate.status(await jwt.sign(pair!.privateKey));
        });
        expect(await Promise.all(statuses)).toEqual([200, 401]);
      } finally {
        await gate.close();
      }
    },
  );

  test('loads RSA keys of the shortest and the longest size that pass', async () => {
    for (const modulusLength of [2048, 8192]) {
      const n = Buffer.alloc(modulusLength / 8, 0xff).toString('base64url');
      const { text } = await checkKeys(keySetText({ kty: 'RSA', n, e: 'AQAB' }));
      const gate = await startTokenGate(issuer, text);
      expect(await gate.status(forge({ alg: 'RS256' }, () => Buffer.alloc(modulusLength / 8)))).toBe(401);
      await gate.close();
    }
  });
});

type Signer = (text: string) => Buffer;

function forge(header: object, signer: Signer): string {
  const payload = { iss: issuer, sub: 'a', exp: Math.floor(Date.now() / 1000) + 3600 };
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${signer(text).toString('base64url')}`;
}

function signed(key: KeyObject): Signer {
  return (text) => sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
}

function hmac(secret: Buffer): Signer {
  return (text) => createHmac('sha256', secret).update(text).digest();
}

function freshKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** The private key of a known scalar, as SEC 1 without its public half. */
function smallKey(scalar: bigint, text?: string): KeyObject {
  const octets =
    text === undefined ? Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex') : Buffer.from(text, 'base64url');
  const sec1 = Buffer.concat([
    Buffer.from('30310201010420', 'hex'),
    octets,
    Buffer.from('a00a06082a8648ce3d030107', 'hex'),
  ]);
  return createPrivateKey({ key: sec1, format: 'der', type: 'sec1' });
}

/** Whatever somebody might take for the shared secret of this key set. */
function symmetricSecrets(key: { readonly x: string; readonly y: string }): readonly (readonly [string, Buffer])[] {
  return [
    ['the text of the set', Buffer.from(standInKeySet)],
    ['the sentence', Buffer.from(standInSentence)],
    ['the text of x', Buffer.from(key.x)],
    ['x', Buffer.from(key.x, 'base64url')],
    ['y', Buffer.from(key.y, 'base64url')],
    ['an empty key', Buffer.alloc(0)],
    ['the kid', Buffer.from(standInKid)],
  ];
}
