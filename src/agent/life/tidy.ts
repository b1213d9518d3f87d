import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A lock that a coming agent has not named yet is younger than this. */
const comingMs = 10_000;

/**
 * Removes what an agent that was killed left half done in `folder`, and in its `routes`: files that were not renamed yet,
 * and locks that were never taken. The caller holds the folder's lock.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const path of [folder, join(folder, 'routes')]) {
    for (const name of await readdir(path).catch(() => [])) {
      const left = join(path, name);
      if (name.endsWith('.tmp') || (/^agent\.lock\..*\.new$/.test(name) && (await isOld(left)))) {
        await rm(left, { force: true, recursive: true });
      }
    }
  }
}

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > comingMs;
}
