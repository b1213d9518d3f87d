import { beforeEach, describe, expect, test } from 'vitest';
import { FolderMemory } from './folder-memory.ts';

describe('FolderMemory', () => {
  let devices: Map<string, number>;
  let memory: FolderMemory;

  beforeEach(() => {
    devices = new Map([
      ['/', 1],
      ['/mnt', 2],
      ['/mnt/a', 3],
      ['/mnt/a/b', 3],
    ]);
    memory = memoryOf([]);
  });

  const memoryOf = (accepted: FolderMemory['accepted']): FolderMemory =>
    new FolderMemory(accepted, async (folder) => devices.get(folder));
  const accept = (...folders: readonly string[]): void =>
    memory.accept(new Map(folders.map((folder) => [folder, devices.get(folder) ?? 0])));
  const found = async (...paths: readonly string[]): Promise<string | undefined> =>
    (await memory.findUnmounted(paths.map((path) => ({ path, text: '' }))))?.message;

  test('does not take an unmounted folder for one that was emptied, also after another memory', async () => {
    accept('/mnt/a');
    expect(await found()).toBeUndefined();
    devices.set('/mnt/a', 2);
    expect(await found()).toMatch(/^the folder "\/mnt\/a" has no input any more and is on another file system/);
    memory = memoryOf(memory.accepted);
    expect(await found()).toBeDefined();
    expect(await found('/mnt/a/p.yaml')).toBeUndefined();
  });

  test('knows that a folder below the mount point went with it', async () => {
    accept('/mnt/a/b');
    devices.delete('/mnt/a/b');
    expect(await found()).toBeUndefined();
    devices.set('/mnt/a', 2);
    expect(await found()).toMatch(/"\/mnt\/a\/b"/);
    devices.delete('/mnt/a');
    expect(await found()).toMatch(/"\/mnt\/a\/b"/);
  });
});
