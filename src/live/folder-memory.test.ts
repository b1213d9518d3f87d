import { beforeEach, describe, expect, test } from 'vitest';
import { FolderMemory } from './folder-memory.ts';

describe('FolderMemory', () => {
  let places: Map<string, string>;
  let memory: FolderMemory;

  beforeEach(() => {
    places = new Map([
      ['/', '1 a /'],
      ['/mnt', '2 b /'],
      ['/mnt/a', '3 c /'],
      ['/mnt/a/b', '3 c /'],
    ]);
    memory = memoryOf([]);
  });

  const memoryOf = (accepted: FolderMemory['accepted']): FolderMemory =>
    new FolderMemory(accepted, async (folder) => places.get(folder));
  const accept = (...folders: readonly string[]): void =>
    memory.accept(new Map(folders.map((folder) => [folder, places.get(folder) ?? ''])));
  const found = async (...paths: readonly string[]): Promise<string | undefined> =>
    (await memory.findUnmounted(paths.map((path) => ({ path, text: '' }))))?.message;

  test('does not take an unmounted folder for one that was emptied, also after another memory', async () => {
    accept('/mnt/a');
    expect(await found()).toBeUndefined();
    places.set('/mnt/a', '2 b /');
    expect(await found()).toMatch(/^the folder "\/mnt\/a" has no input any more and is another mount/);
    memory = memoryOf(memory.accepted);
    expect(await found()).toBeDefined();
    expect(await found('/mnt/a/p.yaml')).toBeUndefined();
  });

  test('knows that a folder below the mount point went with it', async () => {
    accept('/mnt/a/b');
    places.delete('/mnt/a/b');
    expect(await found()).toBeUndefined();
    places.set('/mnt/a', '2 b /');
    expect(await found()).toMatch(/"\/mnt\/a\/b"/);
    places.delete('/mnt/a');
    expect(await found()).toMatch(/"\/mnt\/a\/b"/);
  });
});
