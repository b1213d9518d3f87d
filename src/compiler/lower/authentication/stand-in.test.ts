import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkKeys } from '../../../jwks/check-keys.ts';
import { standInKeySet, standInKid, standInSentence } from './stand-in.ts';

// P-256: NIST SP 800-186, section 3.2.1.3.
const p = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

describe('the key set that verifies nothing', () => {
  test('is the curve point that its sentence gives', () => {
    const [{ x, y }] = JSON.parse(standInKeySet).keys;
    expect({ x, y }).toEqual(firstPoint(standInSentence));
  });

  test('passes the check of every key set: one public key with a kid, nothing private, nothing symmetric', async () => {
    const { text, refused } = await checkKeys(standInKeySet);
    expect({ text, refused }).toEqual({ text: standInKeySet, refused: [] });
    const { keys } = JSON.parse(standInKeySet);
    expect(keys.map((key: object) => Object.keys(key))).toEqual([['kty', 'kid', 'alg', 'crv', 'x', 'y']]);
    expect(keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', kid: standInKid });
  });
});

describe('the sources of the product', () => {
  test('hold no private and no symmetric key', () => {
    const root = path.resolve(import.meta.dirname, '../../../..');
    const files = ['src', 'templates', 'schemas'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(folder, file),
      ),
    );
    const shipped = files.filter(
      (file) => /\.(?:ts|js|hbs|json)$/.test(file) && !/testing\/|\.test\.|\.e2e\./.test(file),
    );
    expect(shipped.length).toBeGreaterThan(100);
    const key = /BEGIN [A-Z ]*PRIVATE KEY-----\s*[A-Za-z0-9+/]{16}|["']?\b[dk]\b["']?: ?["'][\w-]{20,}["']/;
    expect(shipped.filter((file) => key.test(readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
  });
});

function firstPoint(sentence: string): { readonly x: string; readonly y: string } {
  for (let counter = 0; ; counter++) {
    const x = createHash('sha256').update(`${sentence} ${counter}`).digest();
    const abscissa = BigInt(`0x${x.toString('hex')}`);
    const square = (((abscissa ** 3n - 3n * abscissa + b) % p) + p) % p;
    // p is 3 modulo 4, so this is a root if there is one.
    const root = power(square, (p + 1n) / 4n);
    if (abscissa >= p || (root * root) % p !== square) continue;
    const even = root % 2n === 0n ? root : p - root;
    const y = Buffer.from(even.toString(16).padStart(64, '0'), 'hex');
    return { x: x.toString('base64url'), y: y.toString('base64url') };
  }
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [factor, rest] = [base, exponent]; rest > 0n; factor = (factor * factor) % p, rest /= 2n) {
    if (rest % 2n === 1n) result = (result * factor) % p;
  }
  return result;
}
