import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isKeyExposed } from './exposed-key.ts';

test.each([
  ['everybody may read', 0o700, 0o604, true],
  ['everybody may write', 0o700, 0o602, true],
  ['lies where everybody may put another one', 0o707, 0o600, true],
  ['its owner alone may read', 0o700, 0o600, false],
  ['its group may read', 0o750, 0o640, false],
])('isKeyExposed reports a key that %s', async (_, modeOfFolder, modeOfKey, expected) => {
  const folder = await mkdtemp(join(tmpdir(), 'exposed-key-'));
  await writeFile(join(folder, 'key'), '');
  await chmod(join(folder, 'key'), modeOfKey);
  await chmod(folder, modeOfFolder);
  expect(await isKeyExposed(folder, 'key')).toBe(expected);
  await rm(folder, { recursive: true });
});
