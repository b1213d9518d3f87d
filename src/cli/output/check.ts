import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareStrings } from '../../lib/sort.ts';
import { manifestName } from './manifest.ts';
import { OutputError } from './output-error.ts';
import type { OutputFile } from './plan.ts';
import { unifiedDiff } from './unified-diff.ts';

/**
 * What `writeFiles` would change in `folder`, as unified diffs in the order of the paths; empty when nothing. Files
 * there that are not made and that `isOurs` are shown as removed.
 */
export async function checkFiles(
  folder: string,
  files: Iterable<OutputFile>,
  isOurs: (path: string) => boolean,
): Promise<string> {
  const diffs: { readonly path: string; readonly diff: string }[] = [];
  const made = new Set<string>();
  for (const { path, text } of files) {
    made.add(path);
    const diff = unifiedDiff(path, await readPresent(join(folder, path)), text);
    if (diff !== '') diffs.push({ path, diff });
  }
  for (const path of await presentFiles(folder)) {
    if (made.has(path) || !isOurs(path)) continue;
    diffs.push({ path, diff: unifiedDiff(path, await readPresent(join(folder, path)), undefined) });
  }
  return diffs
    .sort((a, b) => compareStrings(a.path, b.path))
    .map(({ diff }) => diff)
    .join('');
}

async function readPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new OutputError('output-unwritable', `cannot read "${path}"`, { cause });
  }
}

async function presentFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name !== manifestName)
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'));
  } catch (cause) {
    throw new OutputError('output-unwritable', `cannot read the folder "${folder}"`, { cause });
  }
}
