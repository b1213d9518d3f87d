import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { visible } from '../diagnostics/formats/visible.ts';
import { UsageError } from '../lib/usage-error.ts';

/** A file that a command writes, and the option that says so. */
export interface OutputTarget {
  readonly option: string;
  readonly file: string;
}

/** A file that a command reads. */
export interface ReadFile {
  readonly path: string;
  /** Such as `an input`. */
  readonly what: string;
}

/**
 * Throws a usage error when a command would overwrite a file that it reads, or write two outputs to one file. A link counts
 * as the file that it leads to, and two names of one file as one; pipes and devices may take any number.
 */
export async function refuseOverwriting(targets: readonly OutputTarget[], read: readonly ReadFile[]): Promise<void> {
  if (targets.length === 0) return;
  const taken = new Map<string, string>();
  for (const { path, what } of read) {
    const identity = path === '-' ? undefined : await identityOf(path);
    if (identity !== undefined) taken.set(identity, what);
  }
  for (const { option, file } of targets) {
    const identity = await identityOf(file);
    if (identity === undefined) continue;
    const what = taken.get(identity);
    if (what !== undefined) {
      throw new UsageError(`${option} "${visible(file)}" would overwrite ${what}: name another file`);
    }
    taken.set(identity, `the output of ${option} "${visible(file)}"`);
  }
}

/** The same for all names of a file; undefined for what is no regular file. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found !== undefined) return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  const folder = await realpath(dirname(resolve(path))).catch(() => undefined);
  return folder === undefined ? undefined : join(folder, basename(path));
}

/** How the outputs of meshpol begin that a folder of inputs may hold: reports of lint, and baselines. */
const ownOutput =
  /^(?:\{\n {2}"schemaVersion": 1,\n {2}"(?:tool|findings)": |schemaVersion: 1\ntool:\n {2}name: meshpol\n|\{\n {2}"version": "2\.1\.0",\n {2}"runs": |\[\]\n$|\[\n {2}\{\n {4}"description": )/;

/** Whether a file of the inputs is what an earlier run wrote there, which the next run may write again. */
export function isOwnOutput(text: string): boolean {
  return ownOutput.test(text);
}
