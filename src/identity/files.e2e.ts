import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../testing/certificates.ts';
import { eventually } from '../testing/eventually.ts';
import type { Watch } from '../watch/watch.ts';
import { openIdentityFiles } from './files.ts';
import type { SecretSnapshot } from './snapshot.ts';

const id = (name: string): string => `spiffe://cluster.local/ns/foo/sa/${name}`;

describe('openIdentityFiles', () => {
  let folder: string;
  let ca: MeshCa;
  let watch: Watch | undefined;
  let snapshots: SecretSnapshot[];
  let problems: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'identity-'));
    ca = await createMeshCa();
    snapshots = [];
    problems = [];
  });
  afterEach(async () => {
    watch?.close();
    await rm(folder, { recursive: true });
  });

  const put = async (into: string, issued: IssuedCertificate): Promise<void> => {
    await writeFile(join(into, 'root-cert.pem'), issued.rootCertificate);
    await writeFile(join(into, 'key.pem'), issued.privateKey);
    await writeFile(join(into, 'cert-chain.pem'), issued.certificateChain);
  };
  const open = async (): Promise<void> => {
    watch = await openIdentityFiles(folder, {
      onSnapshot: (snapshot) => snapshots.push(snapshot),
      onProblem: (problem) => problems.push(problem),
    });
  };
  const names = (): string[] => snapshots.map(({ spiffeId }) => spiffeId);

  test('gives the first identity at once, and each new one', async () => {
    await put(folder, await ca.issue(id('a')));
    await open();
    expect(names()).toEqual([id('a')]);
    await put(folder, await ca.issue(id('b')));
    await eventually(() => expect(names()).toEqual([id('a'), id('b')]));
    expect(problems).toEqual([]);
  });

  test('follows swaps of the symlink ..data, the second one too', async () => {
    const swap = async (name: string): Promise<void> => {
      const target = join(folder, `..${name}`);
      await mkdir(target);
      await put(target, await ca.issue(id(name)));
      await symlink(`..${name}`, join(folder, '..next'));
      await rename(join(folder, '..next'), join(folder, '..data'));
    };
    await swap('one');
    for (const file of ['cert-chain.pem', 'key.pem', 'root-cert.pem']) {
      await symlink(join('..data', file), join(folder, file));
    }
    await open();
    await swap('two');
    await eventually(() => expect(names()).toEqual([id('one'), id('two')]));
    await swap('three');
    await eventually(() => expect(names()).toEqual([id('one'), id('two'), id('three')]));
  });

  test.each([
    ['key.pem', 'garbage', 'key.pem holds no private key'],
    ['root-cert.pem', '', 'root-cert.pem holds no certificate'],
    ['root-cert.pem', '-----BEGIN CERTIFICATE-----\nMIIB', 'root-cert.pem'],
  ])('keeps the last valid identity when %s becomes %j, logs the reason, and recovers', async (name, text, problem) => {
    await put(folder, await ca.issue(id('a')));
    await open();
    await writeFile(join(folder, name), text);
    await eventually(() => expect(problems).toHaveLength(1));
    expect(problems[0]).toContain(problem);
    expect(names()).toEqual([id('a')]);
    await put(folder, await ca.issue(id('b')));
    await eventually(() => expect(names()).toEqual([id('a'), id('b')]));
  });

  test('waits for files that are not there yet', async () => {
    const later = join(folder, 'certs');
    watch = await openIdentityFiles(later, {
      onSnapshot: (snapshot) => snapshots.push(snapshot),
      onProblem: (problem) => problems.push(problem),
    });
    expect(problems[0]).toContain('(ENOENT)');
    await mkdir(later);
    await put(later, await ca.issue(id('a')));
    await eventually(() => expect(names()).toEqual([id('a')]));
  });
});
