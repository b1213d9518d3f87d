import { readFile, stat } from 'node:fs/promises';
import { WorldFailure } from '../lib/failure.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { applyFixes } from '../lint/apply-fixes.ts';
import type { Finding } from '../lint/finding.ts';
import { unifiedDiff } from '../output/unified-diff.ts';
import type { SourceFile } from '../source/document.ts';
import { decode } from '../source/file-text.ts';

/** A file before and after the fixes of its findings. */
export interface FixedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The files that the fixes of the findings change; of fixes that overlap the first one is made. */
export function fixedFiles(files: readonly SourceFile[], findings: readonly Finding[]): readonly FixedFile[] {
  const fixes = findings.flatMap(({ fix }) => fix ?? []);
  const paths = new Set(fixes.flatMap(({ edits }) => edits.map(({ span }) => span.file)));
  return files
    .filter(({ path }) => paths.has(path))
    .map(({ path, text }) => ({ path, before: text, after: applyFixes(path, text, fixes) }))
    .filter(({ before, after }) => before !== after);
}

/** What the fixes would change, as a unified diff. */
export function diffOf(fixed: readonly FixedFile[]): string {
  return fixed.map(({ path, before, after }) => unifiedDiff(path, before, after)).join('');
}

/**
 * Writes the files again, each only if it is still what was read. A byte order mark stays. Throws a WorldFailure for a file
 * that has changed meanwhile or cannot be written; the ones before it are written then.
 */
export async function writeFixed(fixed: readonly FixedFile[]): Promise<void> {
  for (const { path, before, after } of fixed) {
    const bytes = await read(path);
    const decoded = decode(bytes);
    if (!('text' in decoded) || decoded.text !== before) {
      throw new WorldFailure('file-changed', `"${path}" has changed since it was read: it was not fixed`);
    }
    const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? '\uFEFF' : '';
    await write(path, mark + after);
  }
}

async function read(path: string): Promise<Uint8Array> {
  try {
    // A pipe has nothing more to read, and who reads it on gets no second text.
    if (!(await stat(path)).isFile())
      throw new WorldFailure('file-unwritable', `"${path}" is no regular file: it was not fixed`);
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof WorldFailure) throw cause;
    throw new WorldFailure('file-unreadable', `cannot read "${path}" again`, { cause });
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (cause) {
    throw new WorldFailure('file-unwritable', `cannot write "${path}"`, { cause });
  }
}
