import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseKeySetOption } from '../../cli/key-sets/option.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { keySetText, publicJwk } from '../../jwks/testing/keys.ts';
import type { JwtRule } from '../../policy/request-authentication.ts';
import { requestAuthentication } from '../../testing/objects.ts';
import { readKeySetFiles } from './files.ts';
import { createKeySetGatherer } from './gather.ts';

const kidOf = (text = '{"keys":[]}'): string | undefined => JSON.parse(text).keys[0]?.kid;

/** Gathers for one policy of these rules, and gives what is found for each. */
async function found(
  rules: readonly JwtRule[],
  gatherer = createKeySetGatherer(),
): Promise<{ kids: (string | undefined)[]; codes: string[] }> {
  const bag = new DiagnosticBag();
  const keySets = await gatherer.gather([requestAuthentication('a/p', { jwtRules: rules })], bag);
  return { kids: rules.map((rule) => kidOf(keySets.find(rule).text)), codes: bag.all.map(({ code }) => code) };
}

describe('createKeySetGatherer', () => {
  test('takes the keys of the rule, then those of a file, then remote ones', async () => {
    const [rule, file, remote] = await Promise.all(['rule', 'file', 'remote'].map((kid) => publicJwk(kid)));
    const files = [{ issuer: 'i', path: 'f', text: keySetText(file) }];
    const gatherer = createKeySetGatherer(files, {
      fetch: async () => undefined,
      find: () => ({ text: keySetText(remote) }),
    });
    const rules = [{ issuer: 'i', jwks: keySetText(rule) }, { issuer: 'i' }, { issuer: 'other' }];
    expect(await found(rules, gatherer)).toEqual({ kids: ['rule', 'file', 'remote'], codes: [] });
  });

  test('fetches what is wanted and stands neither in a rule nor in a file', async () => {
    const [rule, file] = await Promise.all(['rule', 'file'].map((kid) => publicJwk(kid)));
    const fetched: string[] = [];
    const remote = {
      fetch: async (rules: readonly JwtRule[]) => void fetched.push(...rules.map(({ issuer = '' }) => issuer)),
      find: () => ({ reason: 'not yet' }),
    };
    const gatherer = createKeySetGatherer([{ issuer: 'file', path: 'f', text: keySetText(file) }], remote);
    const rules = [{ issuer: 'rule', jwks: keySetText(rule) }, { issuer: 'file' }, { issuer: 'other' }];
    const keySets = await gatherer.gather([requestAuthentication('a/p', { jwtRules: rules })], new DiagnosticBag());
    expect(fetched).toEqual([]);
    await keySets.fetch(rules);
    expect(fetched).toEqual(['other']);
  });

  test('finds a file for a rule without an issuer by the place of its keys', async () => {
    const files = [{ issuer: 'https://k/?a=b', path: 'f', text: keySetText(await publicJwk('file')) }];
    expect(await found([{ jwksUri: 'https://k/?a=b' }], createKeySetGatherer(files))).toEqual({
      kids: ['file'],
      codes: [],
    });
  });

  test('gives the same object for the same keys, and another for others', async () => {
    const [a, b] = await Promise.all(['a', 'b'].map((kid) => publicJwk(kid)));
    const gatherer = createKeySetGatherer();
    const answer = async (jwks: string) => {
      const rule = { issuer: 'i', jwks };
      const keySets = await gatherer.gather([requestAuthentication('a/p', { jwtRules: [rule] })], new DiagnosticBag());
      return keySets.find(rule);
    };
    const first = await answer(keySetText(a));
    expect(await answer(` ${keySetText(a)}`)).toBe(first);
    expect(await answer(keySetText(b))).not.toBe(first);
  });

  test('lets nothing secret through, and leaves the warning about it to the schema', async () => {
    const good = await publicJwk('good');
    const jwks = keySetText({ kty: 'oct', k: 'c2VjcmV0' }, good);
    const bag = new DiagnosticBag();
    const keySets = await createKeySetGatherer().gather(
      [requestAuthentication('a/p', { jwtRules: [{ issuer: 'i', jwks }] })],
      bag,
    );
    expect(keySets.find({ issuer: 'i', jwks }).text).not.toContain('oct');
    expect(bag.all).toEqual([]);
  });

  test('says why there are none', async () => {
    const keySets = await createKeySetGatherer().gather([], new DiagnosticBag());
    expect(keySets.find({ issuer: 'i' })).toEqual({ reason: 'nothing is fetched while compiling' });
  });
});

describe('parseKeySetOption', () => {
  test('cuts at the last equals sign', () => {
    const options = parseKeySetOption('https://k/?a=b=keys.json', parseKeySetOption('i=f'));
    expect(options).toEqual([
      { issuer: 'i', path: 'f' },
      { issuer: 'https://k/?a=b', path: 'keys.json' },
    ]);
  });

  test.each(['', 'keys.json', '=keys.json', 'i='])('refuses "%s"', (value) => {
    expect(() => parseKeySetOption(value)).toThrow('Expected ISSUER=FILE.');
  });

  test('refuses an issuer that is named twice', () => {
    expect(() => parseKeySetOption('i=g', parseKeySetOption('i=f'))).toThrow('"i" is named twice.');
  });
});

describe('readKeySetFiles', () => {
  test('reads no further than it takes, also where the other side of a pipe never ends', {
    timeout: 10_000,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'key-sets-'));
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const reading = readKeySetFiles([{ issuer: 'i', path }]);
    const writer = await open(path, 'w');
    onTestFinished(() => writer.close());
    const writing = writer.writeFile(Buffer.alloc(2_000_000, ' ')).catch((error: NodeJS.ErrnoException) => error.code);
    await expect(reading).rejects.toThrow('it has more than 1048576 bytes');
    expect(await writing).toBe('EPIPE');
    await rm(folder, { recursive: true });
  });

  test('reads each file, up to a mebibyte of UTF-8, and names a link that leads nowhere', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'key-sets-'));
    const read = async (name: string, content: string | Buffer) => {
      await writeFile(join(folder, name), content);
      return readKeySetFiles([{ issuer: 'i', path: join(folder, name) }]);
    };
    try {
      expect(await read('good', '{}')).toEqual([{ issuer: 'i', path: join(folder, 'good'), text: '{}' }]);
      expect((await read('largest', ' '.repeat(1_048_576)))[0]?.text).toHaveLength(1_048_576);
      await expect(read('large', ' '.repeat(1_048_577))).rejects.toThrow('it has more than 1048576 bytes');
      await expect(read('latin', Buffer.from([0xe9]))).rejects.toThrow('it is not UTF-8 text');
      await expect(readKeySetFiles([{ issuer: 'i', path: join(folder, 'none') }])).rejects.toMatchObject({
        code: 'key-set-unreadable',
        cause: { code: 'ENOENT' },
      });
      await symlink('gone', join(folder, 'link'));
      await expect(readKeySetFiles([{ issuer: 'i', path: join(folder, 'link') }])).rejects.toMatchObject({
        code: 'key-set-unreadable',
        cause: { message: expect.stringMatching(/link" is a link that leads nowhere, by "gone"/) },
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
