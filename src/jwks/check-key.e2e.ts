import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { envoyBinary } from '../agent/testing/agent-bench.ts';
import { createKeyJudge } from '../envoy/judge-keys.ts';
import { validateConfig } from '../envoy/validate.ts';
import { checkKey } from './check-key.ts';

type Key = Readonly<Record<string, unknown>>;

const exported = ({ publicKey }: { readonly publicKey: KeyObject }): Key => ({
  ...publicKey.export({ format: 'jwk' }),
});
const rsaKey = (bits: number, publicExponent = 65_537): Key =>
  exported(generateKeyPairSync('rsa', { modulusLength: bits, publicExponent }));
const ecKey = (namedCurve: string): Key => exported(generateKeyPairSync('ec', { namedCurve }));
const text = (...octets: number[]): string => Buffer.from(octets).toString('base64url');

/** A number of so many bits, odd or even, as a modulus that nobody knows the primes of. */
function modulus(bits: number, isOdd: boolean): string {
  const bytes = randomBytes(bits / 8);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  bytes[bytes.length - 1] = ((bytes.at(-1) ?? 0) & 0xfe) | Number(isOdd);
  return bytes.toString('base64url');
}

const rsa = rsaKey(2048);
const ec = ecKey('P-256');
const ed = exported(generateKeyPairSync('ed25519'));

const taken: Readonly<Record<string, Key>> = {
  'an RSA key with the exponent 3': rsaKey(2048, 3),
  'an odd modulus of 2048 bits': { ...rsa, n: modulus(2048, true) },
  'an odd modulus of 2056 bits': { ...rsa, n: modulus(2056, true) },
  'an odd modulus of 8192 bits': { ...rsa, n: modulus(8192, true) },
  'a modulus with zeros before it': { ...rsa, n: `${text(0, 0, 0)}${rsa.n}` },
  'an exponent with zeros before it': { ...rsa, e: text(0, 0, 0, 1, 0, 1) },
  'a P-384 key': ecKey('P-384'),
  'a P-521 key': ecKey('P-521'),
  'an Ed25519 key': ed,
  'an Ed25519 key that is no point': { ...ed, x: Buffer.alloc(32, 255).toString('base64url') },
  'a kid of every sort of character': { ...ec, kid: 'a\u0000\n"\\\u007f\u0080\u2028\uffff\u{1f600}' },
  'an empty kid': { ...ec, kid: '' },
  'a long kid': { ...ec, kid: 'k'.repeat(100_000) },
};

const refused: Readonly<Record<string, Key>> = {
  'an even modulus': { ...rsa, n: modulus(2048, false) },
  'the exponent 1': { ...rsa, e: text(1) },
  'the exponent 5': { ...rsa, e: text(5) },
  'the exponent 17': { ...rsa, e: text(17) },
  'the exponent 65539': { ...rsa, e: text(1, 0, 3) },
  'an exponent of 32 bits': { ...rsa, e: text(255, 255, 255, 255) },
  'an exponent of 33 bits': { ...rsa, e: text(1, 255, 255, 255, 255) },
  'the origin as a point': { ...ec, x: text(...Array<number>(32).fill(0)), y: text(...Array<number>(32).fill(0)) },
  'a point off its curve': { ...ec, x: ec.y },
  'half a surrogate pair as kid': { ...ec, kid: 'a\ud800' },
};

const judge = createKeyJudge((config) => validateConfig(envoyBinary(), config));
const setOf = (...keys: readonly unknown[]): string => JSON.stringify({ keys });

describe('checkKey', () => {
  test('lets nothing through that Envoy refuses', async () => {
    const checks = await Promise.all(
      Object.entries(taken).map(async ([name, key]) => [name, await checkKey(key)] as const),
    );
    expect(checks.filter(([, { reason }]) => reason !== undefined)).toEqual([]);
    // Envoy reads a set as a whole: one key that it refuses would spoil it.
    expect(await judge(setOf(...checks.map(([, { jwk }]) => jwk)))).toBeUndefined();
  });

  test.each(Object.entries(refused))('refuses %s, as Envoy does', async (_, key) => {
    expect((await checkKey(key)).reason).toBeDefined();
    expect(await judge(setOf(key))).toContain('jwks');
  });
});
