import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTokenMint } from '../testing/token-mint.ts';
import { openKeyFile } from './token-keys.ts';

const mint = createTokenMint();
const elliptic = mint.publicKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const pemOf = (key: KeyObject, type: 'spki' | 'pkcs1' = 'spki'): string => String(key.export({ format: 'pem', type }));
const keySet = (...more: readonly object[]): string =>
  JSON.stringify({ keys: [...more, { ...elliptic.export({ format: 'jwk' }) }] });
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

describe('openKeyFile', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'token-keys-'));
    path = join(folder, 'keys');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test.each<[string, string, readonly KeyObject[]]>([
    ['a key set', keySet(), [elliptic]],
    ['a key set after blank lines', `\n  ${keySet()}`, [elliptic]],
    ['PEM', pemOf(elliptic), [elliptic]],
    ['PEM that ends with a brace', `${pemOf(elliptic)}{`, [elliptic]],
    ['several keys as PEM, of both forms', `# {}\n${pemOf(elliptic)}${pemOf(rsa, 'pkcs1')}`, [elliptic, rsa]],
    [
      'the rest of PEM of which one is broken',
      `-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n${pemOf(rsa)}`,
      [rsa],
    ],
    [
      'the signing keys of a key set',
      keySet({ kty: 'oct', k: 'AAAA' }, { ...elliptic.export({ format: 'jwk' }), use: 'enc' }),
      [elliptic],
    ],
  ])('reads %s', async (_name, text, expected) => {
    await writeFile(path, text);
    const file = await openKeyFile(path, mint.issuer, log);
    file.close();
    const keys = await file.keys(false);
    expect(keys.map(({ key }) => key.export({ format: 'jwk' }))).toEqual(
      expected.map((key) => key.export({ format: 'jwk' })),
    );
  });

  test.each([
    ['no key', 'broken', /holds no public key: a JSON Web Key Set, or PUBLIC KEY in PEM, is expected$/],
    ['a key set that is cut', keySet().slice(0, -1), /holds no public key/],
    ['a private key alone', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', /holds no public key/],
    ['more than a megabyte', keySet().padEnd(1_048_577), /is larger than 1048576 bytes$/],
    ['nothing, since it is absent', undefined, /^cannot read the keys of tokens ".*" \(ENOENT\)$/],
  ])('refuses a file that contains %s', async (_name, text, message) => {
    if (text !== undefined) await writeFile(path, text);
    await expect(openKeyFile(path, mint.issuer, log)).rejects.toMatchObject({
      code: 'token-keys-unusable',
      message: expect.stringMatching(message),
    });
  });

  test('reads a file of at most one megabyte', async () => {
    await writeFile(path, keySet().padEnd(1_048_576));
    const file = await openKeyFile(path, undefined, log);
    file.close();
    expect(await file.keys(false)).toHaveLength(1);
  });
});
