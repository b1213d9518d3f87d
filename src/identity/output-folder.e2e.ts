import { createPrivateKey, X509Certificate } from 'node:crypto';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa, type MeshCa } from '../testing/certificates.ts';
import { prepareOutputFolder, writeOutputFolder } from './output-folder.ts';
import type { SecretSnapshot } from './snapshot.ts';

describe('writeOutputFolder', () => {
  let base: string;
  let folder: string;
  let ca: MeshCa;
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'output-'));
    folder = join(base, 'a', 'certs');
    ca = await createMeshCa();
    await prepareOutputFolder(folder);
  });
  afterEach(() => rm(base, { recursive: true }));

  const next = async (): Promise<SecretSnapshot> => {
    const { certificateChain, privateKey, rootCertificate } = await ca.issue('spiffe://a/b');
    const rest = { spiffeId: 'spiffe://a/b', notAfterMs: 0, serialNumber: '' };
    return { certificateChain, privateKey, rootCertificates: rootCertificate, ...rest };
  };
  const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

  test('writes three files, of which only the key is private', async () => {
    const snapshot = await next();
    await writeOutputFolder(folder, snapshot);
    expect(await readdir(folder)).toEqual(['cert-chain.pem', 'key.pem', 'root-cert.pem']);
    expect(await text('key.pem')).toBe(snapshot.privateKey);
    expect(await text('cert-chain.pem')).toBe(snapshot.certificateChain);
    expect(await text('root-cert.pem')).toBe(snapshot.rootCertificates);
    expect(await modeOf(join(folder, 'key.pem'))).toBe(0o600);
    expect(await modeOf(join(folder, 'cert-chain.pem'))).toBe(0o644);
    expect(await modeOf(folder)).toBe(0o700);
  });

  test('renames in the order root, key, chain, and leaves what is the same alone', async () => {
    await writeOutputFolder(folder, await next());
    const root = await stat(join(folder, 'root-cert.pem'));
    const renamed: string[] = [];
    const watcher = watch(folder, (_event, name) => {
      if (name?.endsWith('.pem') && renamed.at(-1) !== name) renamed.push(name);
    });
    const second = await next();
    await writeOutputFolder(folder, second);
    await writeOutputFolder(folder, second);
    await new Promise((resolve) => setTimeout(resolve, 100));
    watcher.close();
    expect(renamed).toEqual(['key.pem', 'cert-chain.pem']);
    expect((await stat(join(folder, 'root-cert.pem'))).ino).toBe(root.ino);
  });

  test('never shows a part of a file, in 200 rotations', async () => {
    const snapshots = await Promise.all(Array.from({ length: 20 }, next));
    const write = (i: number): Promise<void> => writeOutputFolder(folder, snapshots[i % 20] as SecretSnapshot);
    await write(0);
    let isWriting = true;
    const reading = (async () => {
      let read = 0;
      for (; isWriting; read++) {
        new X509Certificate(await text('cert-chain.pem'));
        createPrivateKey(await text('key.pem'));
      }
      return read;
    })();
    for (let i = 1; i <= 200; i++) await write(i);
    isWriting = false;
    expect(await reading).toBeGreaterThan(10);
    const [chain, key] = [await text('cert-chain.pem'), await text('key.pem')];
    expect(new X509Certificate(chain).checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  test('replaces a world-readable key file and a leftover temporary file', async () => {
    const snapshot = await next();
    await writeFile(join(folder, 'key.pem'), snapshot.privateKey, { mode: 0o644 });
    await writeFile(join(folder, 'key.pem.tmp'), 'half');
    await writeOutputFolder(folder, snapshot);
    expect(await modeOf(join(folder, 'key.pem'))).toBe(0o600);
    expect(await readdir(folder)).toHaveLength(3);
  });

  test('leaves the old pair whole when a part of the new one cannot be written', async () => {
    const first = await next();
    await writeOutputFolder(folder, first);
    await mkdir(join(folder, 'cert-chain.pem.tmp'));
    await expect(writeOutputFolder(folder, await next())).rejects.toThrow();
    expect(await text('key.pem')).toBe(first.privateKey);
    expect(await text('cert-chain.pem')).toBe(first.certificateChain);
    expect(await readdir(folder)).not.toContain('key.pem.tmp');
  });

  test('says at the start when nothing can be written', async () => {
    await writeFile(join(base, 'file'), '');
    await expect(prepareOutputFolder(join(base, 'file'))).rejects.toThrow(/EEXIST/);
    await expect(prepareOutputFolder(join(base, 'file', 'certs'))).rejects.toThrow(/ENOTDIR/);
  });
});
