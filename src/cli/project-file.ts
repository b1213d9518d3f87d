import { lstat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type LintConfig, parseProjectFile } from '../config/project-file.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { format } from '../diagnostics/format.ts';
import { lineAndColumn, lineStarts } from '../diagnostics/span.ts';
import { WorldFailure } from '../lib/failure.ts';
import { readNamedText } from '../lib/read-file.ts';
import { UsageError } from '../lib/usage-error.ts';
import { faultsOf } from '../lint/configure.ts';
import { projectFileName } from '../source/project-file.ts';
import { folderOf } from './input-folder.ts';

/** What a project file says of linting, and how it names files. */
export interface LintProject {
  readonly config: LintConfig;
  /** Undefined when there is no project file. */
  readonly path?: string;
  /** The path of a file from the folder of the project file; undefined for one that is not below it. */
  pathOf(file: string): string | undefined;
}

const none: LintProject = { config: {}, pathOf: () => undefined };

/** Reads the file that is named, else the nearest one from the folder of `input` upwards; mistakes in it are wrong usage. */
export async function readLintProject(named: string | false | undefined, input: string): Promise<LintProject> {
  const path = named === false ? undefined : (named ?? (await findUpwards(await folderOf(input))));
  if (path === undefined) return none;
  const text = await read(path);
  const bag = new DiagnosticBag();
  const project = parseProjectFile({ path, text }, bag);
  if (project === undefined)
    throw new UsageError(`mistakes in the project file\n${format(bag.all, [{ path, text }], 'text').trimEnd()}`);
  for (const fault of faultsOf(project.lint)) {
    const span = project.document?.spanOf(fault.path, 'key');
    const { line, column } = lineAndColumn(lineStarts(text), span?.start ?? 0);
    throw new UsageError(`${path}:${line}:${column}: ${fault.message}`);
  }
  const folder = dirname(resolve(path));
  return {
    config: project.lint,
    path,
    pathOf: (file) => {
      const found = relative(folder, resolve(file)).split(sep).join('/');
      return file === '-' || found.startsWith('../') || found === '' ? undefined : found;
    },
  };
}

async function read(path: string): Promise<string> {
  try {
    return await readNamedText(path, 'utf8');
  } catch (cause) {
    throw new WorldFailure('project-file-unreadable', `cannot read the project file "${path}"`, { cause });
  }
}

/** A repository ends where its `.git` is: what lies above it is of somebody else. */
async function findUpwards(folder: string): Promise<string | undefined> {
  const path = join(folder, projectFileName);
  if (await isThere(path)) return relative('.', path);
  const above = dirname(folder);
  return above === folder || (await isThere(join(folder, '.git'))) ? undefined : findUpwards(above);
}

/** Causes for which a folder that is above has no project file for this user. */
const absences: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'EACCES']);

async function isThere(path: string): Promise<boolean> {
  // A link that leads nowhere is there: what it was meant to say must not be missed. So is what a disk fails to tell of.
  return lstat(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => !absences.has(code),
  );
}
