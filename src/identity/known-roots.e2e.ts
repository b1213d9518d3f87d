import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa, type MeshCa } from '../testing/certificates.ts';
import type { AuthorityOptions } from './authority.ts';
import { knownRoots } from './known-roots.ts';
import type { SecretSnapshot } from './snapshot.ts';
import { authorityIn } from './testing/test-authority.ts';

describe('knownRoots', () => {
  let folder: string;
  let ca: MeshCa;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roots-'));
    ca = await createMeshCa();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const inForce = { rootCertificates: 'in force' } as SecretSnapshot;
  const options = (changes: Partial<AuthorityOptions>): Promise<AuthorityOptions> =>
    authorityIn(folder, { ca, port: 1 }, changes);

  test('are those of the mesh’s file and those in force', async () => {
    const authority = await options({});
    expect(await knownRoots(authority, inForce)).toBe(`${ca.rootCertificate}in force`);
    expect(await knownRoots(authority, undefined)).toBe(ca.rootCertificate);
    await writeFile(authority.rootPath, 'junk');
    expect(await knownRoots(authority, inForce)).toBe('in force');
  });

  test('are empty when the CA is authenticated by a platform root, so any mesh root is accepted', async () => {
    expect(await knownRoots(await options({ isMeshRoot: false }), inForce)).toBe('');
  });

  test('are the active roots when no platform root authenticates the CA', async () => {
    const authority = await options({ isMeshRoot: false, address: 'localhost:15010' });
    expect(await knownRoots(authority, inForce)).toBe('in force');
  });
});
