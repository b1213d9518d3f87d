import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { watchPaths } from './watch.ts';

test('a watch whose paths are replaced by as many others follows the new paths and no longer the old ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watch-'));
  const [old, fresh] = [join(folder, 'old'), join(folder, 'fresh')];
  await writeFile(old, '1');
  await writeFile(fresh, '1');
  let changes = 0;
  const watch = await watchPaths([old], { onChange: () => changes++, debounceMs: 10, pollMs: 60_000 });
  const sees = (count: number): Promise<void> => eventually(() => expect(changes).toBe(count));
  watch.follow([fresh]);
  await sees(1);
  // By one rename: a file that is emptied and then written may be seen twice.
  await writeFile(join(folder, 'beside'), '2');
  await rename(join(folder, 'beside'), fresh);
  await sees(2);
  await writeFile(old, '2');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(changes).toBe(2);
  watch.close();
  await rm(folder, { recursive: true });
});
