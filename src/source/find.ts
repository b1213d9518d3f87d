import { join } from 'node:path';
import { WorldFailure } from '../lib/failure.ts';
import { sortedBy } from '../lib/sort.ts';
import { type FolderExclusion, ignoreFile } from './exclusion.ts';
import { listedOutputs, outputMarker } from './output-folder.ts';
import { fileSystem, type SourceDisk } from './source-disk.ts';

/** A file or folder that cannot be read: the world's failure, not the policy's. */
export class SourceError extends WorldFailure<'source-unreadable'> {
  constructor(message: string, options?: ErrorOptions) {
    super('source-unreadable', message, options);
  }
}

/** How a folder is gone through. */
export interface FindOptions {
  /** Real paths that are known; each is given once, however many links lead to it. */
  readonly seen: Set<string>;
  /** Whether a file of a folder is wanted, by its name. */
  readonly isWanted: (name: string) => boolean;
  /** Whether what the compiler wrote below the named folder is left out. */
  readonly leavesOutOutputs?: boolean;
  /** Told of the ordinary files that are not wanted. */
  readonly onOther?: (path: string) => void;
  /** Takes pipes and devices where they are named themselves. */
  readonly takesPipes?: boolean;
  /** What the user leaves out of folders. */
  readonly exclusion?: FolderExclusion;
  /** Absent: the files of this machine. */
  readonly disk?: SourceDisk | undefined;
}

/** The folder that was named, and what it is in truth. */
interface Root {
  readonly path: string;
  readonly real: string;
}

/**
 * The files that `path` stands for: itself, or all below it that are wanted, sorted. What was named is taken as it is;
 * below a named folder pipes and devices are refused, and links that lead out of it, because whoever may write there
 * could otherwise have any file of this machine read and quoted. Throws `SourceError`.
 */
export function findFiles(path: string, options: FindOptions): Promise<string[]> {
  return findBelow(path, undefined, { ...options, disk: options.disk ?? fileSystem });
}

interface KnownOptions extends FindOptions {
  readonly disk: SourceDisk;
  /** Paths that the compiler wrote. */
  readonly outputs?: ReadonlySet<string>;
}

/** `root` is undefined for what was named itself. */
async function find(path: string, root: Root | undefined, options: KnownOptions): Promise<string[]> {
  const { seen, takesPipes, leavesOutOutputs, disk } = options;
  const real = await disk.real(path);
  if (root !== undefined) checkInside(path, real, root);
  if (!isNew(real, seen)) return [];
  const stats = await disk.stat(path);
  if (!stats.isDirectory()) {
    const mayBePipe = root === undefined && takesPipes === true;
    if (!stats.isFile() && !mayBePipe) throw new SourceError(`"${path}" is a pipe or device`);
    return [path];
  }
  const entries = await disk.list(path);
  const here = root ?? { path, real };
  const holds = (wanted: string): boolean => entries.some(({ name }) => name === wanted);
  const listOf = (name: keyof typeof maxListBytes): Promise<string> => readList(path, name, here, disk);
  const exclusion =
    options.exclusion !== undefined && holds(ignoreFile)
      ? options.exclusion.within(path, await listOf(ignoreFile))
      : options.exclusion;
  const isOutputFolder = root !== undefined && leavesOutOutputs === true && holds(outputMarker);
  const written = isOutputFolder ? listedOutputs(await listOf(outputMarker)) : [];
  const outputs =
    written.length === 0
      ? options.outputs
      : new Set([...(options.outputs ?? []), ...written.map((name) => childOf(path, name))]);
  const below: KnownOptions = { ...options, ...(exclusion && { exclusion }), ...(outputs && { outputs }) };
  const names: string[] = [];
  for (const entry of sortedBy(entries, ({ name }) => name)) {
    // Kubernetes mounts a volume's files as links into folders of this form, which change their names.
    if (entry.name.startsWith('..')) continue;
    const child = childOf(path, entry.name);
    if (outputs?.has(child)) continue;
    if (entry.isSymbolicLink() && (await isEditorLock(entry.name, child, disk))) continue;
    const isWanted = options.isWanted(entry.name);
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(child, disk)));
    if (exclusion?.leavesOut(child, isFolder)) continue;
    if (entry.isFile()) {
      if (!isWanted) options.onOther?.(child);
      // No link, so its real path is known.
      else if (isNew(join(real, entry.name), seen)) names.push(child);
      continue;
    }
    if (isFolder || isWanted) names.push(...(await findBelow(child, here, below)));
  }
  return names;
}

/** What is in the folder `.` has no `./` before it: git and code hosts know files by such paths alone. */
function childOf(folder: string, name: string): string {
  if (folder === '.') return name;
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

async function findBelow(path: string, root: Root | undefined, options: KnownOptions): Promise<string[]> {
  try {
    return await find(path, root, options);
  } catch (cause) {
    if (cause instanceof SourceError) throw cause;
    throw new SourceError(`cannot read "${path}"`, { cause: await options.disk.explain(cause, path) });
  }
}

/** Larger than any list that a person writes, and than those of the largest meshes. */
const maxListBytes = { [ignoreFile]: 1 << 16, [outputMarker]: 1 << 28 };

async function readList(
  folder: string,
  name: keyof typeof maxListBytes,
  root: Root,
  disk: SourceDisk,
): Promise<string> {
  const path = childOf(folder, name);
  const what = name === ignoreFile ? 'list of patterns' : 'list of written files';
  try {
    checkInside(path, await disk.real(path), root);
    const stats = await disk.stat(path);
    if (!stats.isFile() || stats.size > maxListBytes[name]) throw new SourceError(`"${path}" is no ${what}`);
    return new TextDecoder().decode(await disk.read(path));
  } catch (cause) {
    if (cause instanceof SourceError) throw cause;
    throw new SourceError(`cannot read "${path}"`, { cause: await disk.explain(cause, path) });
  }
}

function checkInside(path: string, real: string, root: Root): void {
  const folder = root.real.endsWith('/') ? root.real : `${root.real}/`;
  if (real === root.real || real.startsWith(folder)) return;
  throw new SourceError(
    `"${path}" is a link out of the folder "${root.path}", to "${real}": name that path itself where it is meant, or remove the link`,
  );
}

function isNew(real: string, seen: Set<string>): boolean {
  const isSeen = seen.has(real);
  seen.add(real);
  return !isSeen;
}

/** What Emacs leaves beside a file that has changes which are not saved: `.#name`, a link to no file. */
async function isEditorLock(name: string, path: string, disk: SourceDisk): Promise<boolean> {
  if (!name.startsWith('.#')) return false;
  return disk.stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

/**
 * A link that leads nowhere counts as a folder, whatever its name: what it led to may have been a folder of policies, and it
 * is reported as all that cannot be read. Throws where nobody knows what it leads to.
 */
async function leadsToFolder(path: string, disk: SourceDisk): Promise<boolean> {
  try {
    return (await disk.stat(path)).isDirectory();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw new SourceError(`cannot read "${path}"`, { cause: await disk.explain(cause, path) });
  }
}
