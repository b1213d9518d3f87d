import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePair } from './pair-files.ts';

const pair = { certificateChain: 'chain', privateKey: 'key', notBeforeMs: 0, notAfterMs: 0 };

test('writePair makes its files unreadable to others, and leaves the mode of a folder that others use', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pair-files-'));
  await chmod(folder, 0o755);
  await writePair(folder, pair, 'roots');
  await writePair(join(folder, 'new'), pair, 'roots');
  const modes = ['', 'key.pem', 'cert-chain.pem', 'self-signed-root.pem', 'new'].map(async (name) =>
    ((await stat(join(folder, name))).mode & 0o777).toString(8),
  );
  expect(await Promise.all(modes)).toEqual(['755', '600', '600', '600', '700']);
  await rm(folder, { recursive: true });
});
