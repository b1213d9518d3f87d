import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestAuthority } from '../testing/authorities.ts';
import { hasPluggedIn, pluggedInKey, readPluggedIn } from './plugged-in.ts';

const root = await createTestAuthority({ name: 'root' });
const signing = await createTestAuthority({ name: 'signing', parent: root });
const files = {
  'ca-cert.pem': signing.certificate,
  'ca-key.pem': signing.privateKey,
  'cert-chain.pem': signing.certificate,
  'root-cert.pem': root.certificate,
} as const;
const names = Object.keys(files) as (keyof typeof files)[];

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});
async function folderWith(present: readonly (keyof typeof files)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plugged-in-'));
  folders.push(folder);
  for (const name of present) await writeFile(join(folder, name), files[name], { mode: 0o600 });
  return folder;
}

describe('readPluggedIn', () => {
  test('reads the whole set', async () => {
    const folder = await folderWith(names);
    expect(await hasPluggedIn(folder)).toBe(true);
    expect((await readPluggedIn(folder, Date.now())).signer?.chain).toEqual([signing.certificate]);
  });

  test('finds a dangling link, and names what is missing', async () => {
    const folder = await folderWith([]);
    await symlink('..data/ca-key.pem', join(folder, 'ca-key.pem'));
    expect(await hasPluggedIn(folder)).toBe(true);
    expect((await readPluggedIn(folder, Date.now())).problem).toMatch(/incomplete: .*ca-key.pem.* missing/);
  });

  test('finds nothing in an empty or missing folder', async () => {
    expect(await hasPluggedIn(await folderWith([]))).toBe(false);
    expect(await hasPluggedIn('/no/such/folder')).toBe(false);
  });

  const subsets = Array.from({ length: 14 }, (_, i) => names.filter((_name, bit) => ((i + 1) >> bit) & 1));
  test.each(subsets)('refuses %s %s %s alone, by the names of what is missing', async (...present) => {
    const there = present.filter((name) => names.includes(name));
    const folder = await folderWith(there);
    expect(await hasPluggedIn(folder)).toBe(true);
    const missing = names.filter((name) => !there.includes(name));
    const { problem = '' } = await readPluggedIn(folder, Date.now());
    expect(problem).toMatch(/^the certificate authority in ".*" is incomplete: /);
    expect(problem.match(/[\w-]+\.pem/g)?.sort()).toEqual(missing);
  });

  test('reads the files of a cert-manager Secret, with intermediates after the certificate, and names its files in errors', async () => {
    const folder = await folderWith([]);
    const lower = await createTestAuthority({ name: 'lower', parent: signing });
    await writeFile(join(folder, 'tls.key'), lower.privateKey);
    expect(await hasPluggedIn(folder)).toBe(true);
    expect(await pluggedInKey(folder)).toBe('tls.key');
    expect((await readPluggedIn(folder, Date.now())).problem).toMatch(/incomplete: tls\.crt, ca\.crt missing$/);
    await writeFile(join(folder, 'tls.crt'), lower.certificate + signing.certificate);
    await writeFile(join(folder, 'ca.crt'), root.certificate);
    const { signer } = await readPluggedIn(folder, Date.now());
    expect(signer?.chain).toEqual([lower.certificate, signing.certificate]);
    expect(signer?.roots).toBe(root.certificate);
    await writeFile(join(folder, 'tls.crt'), lower.certificate);
    expect((await readPluggedIn(folder, Date.now())).problem).toBe(
      `in "${folder}": tls.crt does not lead to a root of ca.crt`,
    );
    // Istio's names count where both are there.
    await writeFile(join(folder, 'ca-key.pem'), signing.privateKey);
    expect((await readPluggedIn(folder, Date.now())).problem).toMatch(
      /: ca-cert.pem, root-cert.pem, cert-chain.pem miss/,
    );
  });

  test('names the folder of a bad set', async () => {
    const folder = await folderWith(names);
    await writeFile(join(folder, 'ca-key.pem'), root.privateKey);
    expect((await readPluggedIn(folder, Date.now())).problem).toBe(
      `in "${folder}": ca-key.pem is not the key of ca-cert.pem`,
    );
  });

  test('refuses a file that is too large to hold certificates', async () => {
    const folder = await folderWith(names);
    await writeFile(join(folder, 'cert-chain.pem'), Buffer.alloc(1_048_577));
    expect((await readPluggedIn(folder, Date.now())).problem).toMatch(/cert-chain.pem" is larger than 1048576 bytes/);
  });
});
