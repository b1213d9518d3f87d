import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { followIssuerRoots } from './issuer-roots.ts';

test('followIssuerRoots gives the certificates of a changed file, and keeps the previous ones if the file has none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roots-'));
  const path = join(folder, 'roots.pem');
  const pem = (text: string): string => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
  const used: string[] = [];
  const errors: string[] = [];
  const nothing = (): void => {};
  const log = { debug: nothing, info: nothing, warn: nothing, error: (message: string) => void errors.push(message) };
  await writeFile(path, pem('first'));
  const watch = await followIssuerRoots(path, (roots) => void used.push(roots), log);
  try {
    await writeFile(path, 'no certificate');
    await eventually(() => expect(errors).toHaveLength(1));
    await writeFile(path, pem('other one'));
    await eventually(() => expect(used).toEqual([pem('other one')]));
  } finally {
    watch.close();
    await rm(folder, { recursive: true });
  }
});
