import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputMarker } from '../source/output-folder.ts';
import { OutputError } from './output-error.ts';

/** Lists the files of the folder that the compiler made, so that it removes those and no others. */
export const manifestName = outputMarker;

/** Paths that an earlier run wrote, relative to the folder; empty when there was none. */
export async function readManifest(folder: string): Promise<ReadonlySet<string>> {
  let text: string;
  try {
    text = await readFile(join(folder, manifestName), 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return new Set();
    throw new OutputError('output-unwritable', `cannot read "${join(folder, manifestName)}"`, { cause });
  }
  const paths = text.split('\n').filter((line) => line !== '');
  for (const path of paths) {
    // The list decides what is removed: a path that leads out of the folder is nothing that we wrote.
    if (path.startsWith('/') || path.split('/').some((part) => part === '..' || part === '')) {
      throw new OutputError('output-not-ours', `"${join(folder, manifestName)}" names "${path}"`);
    }
  }
  return new Set(paths);
}

/** Text of the list, sorted. */
export function manifestText(paths: Iterable<string>): string {
  return [...new Set(paths)]
    .sort()
    .map((path) => `${path}\n`)
    .join('');
}
