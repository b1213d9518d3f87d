import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sortedBy } from '../lib/sort.ts';
import { changeSummary, type FileChange } from './change-summary.ts';
import { manifestName } from './manifest.ts';
import { OutputError } from './output-error.ts';
import type { OutputFile } from './plan.ts';
import { unifiedDiff } from './unified-diff.ts';

/** How a folder differs from the files that a run makes. */
export interface Check {
  readonly isSame: boolean;
  /** A summary, then unified diffs in the order of the paths, but those of origins last; empty when nothing differs. */
  readonly text: string;
}

export interface CheckOptions {
  /** Which files of the folder this run answers for: one of them that is not made is a difference, whoever wrote it. */
  readonly isOurs: (path: string) => boolean;
  /** Leaves the diffs of origins out, whose lines move with every line of the inputs. */
  readonly withoutOrigins?: boolean;
}

/** Compares `folder` with the files of a run. */
export async function checkFiles(
  folder: string,
  files: Iterable<OutputFile>,
  { isOurs, withoutOrigins = false }: CheckOptions,
): Promise<Check> {
  const changes: FileChange[] = [];
  const made = new Set<string>();
  for (const file of files) {
    made.add(file.path);
    const before = await readPresent(join(folder, file.path));
    if (before !== file.text) changes.push({ path: file.path, before, after: file });
  }
  for (const path of await presentFiles(folder)) {
    if (made.has(path) || !isOurs(path)) continue;
    changes.push({ path, before: await readPresent(join(folder, path)), after: undefined });
  }
  const diffs = sortedBy(
    changes.filter(({ path }) => !withoutOrigins || !isOrigins(path)),
    ({ path }) => (isOrigins(path) ? 1 : 0),
    ({ path }) => path,
  ).map(({ path, before, after }) => unifiedDiff(path, before, after?.text));
  return { isSame: changes.length === 0, text: [changeSummary(changes), ...diffs].join('') };
}

function isOrigins(path: string): boolean {
  return /(?:^|\/)origins\.(?:json|yaml)$/.test(path);
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
