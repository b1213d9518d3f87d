import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openssl } from '../testing/openssl.ts';
import { openSelfSigned } from './self-signed.ts';

const options = { trustDomain: 'cluster.local', keyAlgorithm: 'ECDSA', clock: Date.now } as const;
const authorityFile = 'self-signed-ca.pem';
let place = '';
let program = '';
let folders = 0;
const nextFolder = (): string => join(place, `ca-${++folders}`);

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'self-signed-'));
  program = join(place, 'open.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, '../testing/open-self-signed.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    logLevel: 'warning',
  });
});
afterAll(() => rm(place, { recursive: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

async function ended(child: ChildProcess): Promise<number | string> {
  const [code, signal] = await once(child, 'exit');
  return signal ?? code;
}

function start(folder: string, told: string, environment: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [program, folder, told], {
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  });
}

describe('openSelfSigned', () => {
  test.each(['ECDSA', 'RSA'] as const)(
    'makes a root with a key of %s once, and gives it again',
    async (keyAlgorithm) => {
      const folder = nextFolder();
      const first = await openSelfSigned({ ...options, folder, keyAlgorithm });
      const again = await openSelfSigned({ ...options, folder, keyAlgorithm: 'ECDSA', trustDomain: 'other' });
      expect(again.rootFingerprint).toBe(first.rootFingerprint);
      expect(first.key.asymmetricKeyType).toBe(keyAlgorithm === 'RSA' ? 'rsa' : 'ec');
      expect(await readdir(folder)).toEqual([authorityFile, 'self-signed-root.pem']);
      expect([await modeOf(folder), await modeOf(join(folder, authorityFile))]).toEqual([0o700, 0o600]);
      const root = await readFile(join(folder, 'self-signed-root.pem'), 'utf8');
      expect(root).toBe(first.roots);
      const { output } = openssl(['x509', '-noout', '-text'], root);
      expect(output).toMatch(/Subject: O = cluster.local\n/);
      expect(output).toMatch(/Key Usage: critical\n +Certificate Sign, CRL Sign\n/);
      expect(output).toMatch(/Basic Constraints: critical\n +CA:TRUE\n/);
      expect(output).toContain('X509v3 Subject Key Identifier');
      const years = (Date.parse(new X509Certificate(root).validTo) - Date.now()) / 86_400_000 / 365;
      expect(years).toBeCloseTo(10, 3);
    },
  );

  test('reports a missing root that must exist, and does not create another one', async () => {
    const folder = nextFolder();
    await openSelfSigned({ ...options, folder });
    await rm(join(folder, authorityFile));
    const opened = openSelfSigned({ ...options, folder, mustBeThere: true });
    await expect(opened).rejects.toMatchObject({
      code: 'authority-unusable',
      message: expect.stringMatching(/is gone$/),
    });
    expect(await readdir(folder)).toEqual(['self-signed-root.pem']);
  });

  test('has one root when programs start at the same moment, in 20 rounds', async () => {
    for (let round = 0; round < 20; round++) {
      const folder = nextFolder();
      const told = join(place, `told-${round}`);
      const codes = await Promise.all(Array.from({ length: 4 }, () => ended(start(folder, told))));
      expect(codes).toEqual([0, 0, 0, 0]);
      const roots = (await readFile(told, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]);
      expect(new Set(roots)).toEqual(new Set([(await openSelfSigned({ ...options, folder })).rootFingerprint]));
    }
  });

  test('survives a kill before each of its steps', async () => {
    const told = join(place, 'told');
    let killed = 0;
    for (;;) {
      const folder = nextFolder();
      const end = await ended(start(folder, told, { KILL_AT: String(killed) }));
      if (end === 0) break;
      expect(end).toBe('SIGKILL');
      killed++;
      const left = await readFile(join(folder, authorityFile), 'utf8').catch(() => undefined);
      const { rootFingerprint } = await openSelfSigned({ ...options, folder });
      expect((await openSelfSigned({ ...options, folder })).rootFingerprint).toBe(rootFingerprint);
      if (left !== undefined) expect(await readFile(join(folder, authorityFile), 'utf8')).toBe(left);
    }
    expect(killed).toBe(Number((await readFile(told, 'utf8')).trim().split(' ')[1]));
    expect(killed).toBeGreaterThan(15);
  });

  test('removes what a killed program left, once it is old', async () => {
    const folder = nextFolder();
    await openSelfSigned({ ...options, folder });
    const leftovers = ['0123456789abcdef', 'fedcba9876543210'].map((hex) =>
      join(folder, `${authorityFile}.${hex}.new`),
    );
    for (const path of leftovers) await writeFile(path, 'a key');
    await utimes(leftovers[0]!, 1, 1);
    await openSelfSigned({ ...options, folder });
    expect(await readdir(folder)).toEqual([
      authorityFile,
      `${authorityFile}.fedcba9876543210.new`,
      'self-signed-root.pem',
    ]);
  });

  test('signs its root again with the same key in the last fifth of its lifetime', async () => {
    const folder = nextFolder();
    const first = await openSelfSigned({ ...options, folder });
    const late = (years: number) =>
      openSelfSigned({
        ...options,
        folder,
        trustDomain: 'renamed.example',
        clock: () => Date.now() + years * 365 * 86_400_000,
      });
    expect((await late(7.9)).rootFingerprint).toBe(first.rootFingerprint);
    const second = await late(8.1);
    expect(second.rootFingerprint).not.toBe(first.rootFingerprint);
    expect(second.keyId).toEqual(first.keyId);
    expect(second.subject).toEqual(first.subject);
    // Agents take no roots of which they know none: the one of before is among them while it is valid.
    expect([...second.rootFingerprints]).toEqual([second.rootFingerprint, first.rootFingerprint]);
    expect((await late(9)).rootFingerprint).toBe(second.rootFingerprint);
    expect(await readFile(join(folder, 'self-signed-root.pem'), 'utf8')).toBe(second.roots);
    const third = await late(16.5);
    expect([...third.rootFingerprints]).toEqual([third.rootFingerprint, second.rootFingerprint]);
  });

  test.each([
    [
      'a layout of a later version',
      '# certificate authority of meshd, layout 2\n',
      /has no layout that this version knows/,
    ],
    ['half a file', '# certificate authority of meshd, layout 1\n', /its certificate holds no certificate/],
  ])('refuses %s, and leaves it alone', async (_, text, expected) => {
    const folder = nextFolder();
    await mkdir(folder);
    await writeFile(join(folder, authorityFile), text);
    await expect(openSelfSigned({ ...options, folder })).rejects.toMatchObject({
      code: 'authority-unusable',
      message: expect.stringMatching(expected),
    });
    expect(await readFile(join(folder, authorityFile), 'utf8')).toBe(text);
  });

  test.each([
    ['a full disk', 'size=4k', 'head -c 4096 /dev/zero >full', /ENOSPC/],
    ['a read-only folder', 'size=1m', 'mount -o remount,ro .', /EROFS/],
  ])('fails with a named error on %s, and leaves no file', async (_, size, prepare, expected) => {
    const folder = nextFolder();
    await mkdir(folder);
    const script = `mount -t tmpfs -o ${size} none "$1" && cd "$1" && ${prepare} && { "$2" "$3" "$1" "$1/told"; code=$?; ls -A; exit $code; }`;
    const argv = ['--mount', '--map-root-user', 'sh', '-c', script, 'sh', folder, process.execPath, program];
    const child = spawn('unshare', argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    const [code] = await once(child, 'close');
    expect([code, output]).toEqual([1, expect.stringMatching(expected)]);
    expect(output).toContain(`cannot keep a certificate authority in "${folder}"`);
    expect(output).not.toMatch(/\.new$/m);
  });
});
