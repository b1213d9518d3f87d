import { createReadStream, readFileSync, statSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { compareStrings } from '../../lib/sort.ts';
import { cutDocuments } from './cut.ts';
import type { SourceFile } from './document.ts';
import { decode } from './file-text.ts';
import { defaultLimits } from './limits.ts';

/** A file or folder that cannot be read: the world's failure, not the policy's. */
export class SourceError extends Error {
  readonly code = 'source-unreadable';
}

/** A folder that holds a file of this name was written by the compiler: below an input folder it is no input. */
export const outputMarker = '.meshpol-files';

/** So many files are read at once: the most of reading a small file is waiting. */
const batch = 16;

export interface ReadOptions {
  /** What `-` stands for. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly maxFileBytes?: number | undefined;
  /** Refuses pipes and devices that are named, as it does those in folders: reading them may take for ever. */
  readonly filesOnly?: boolean;
  /** Reads one file by `read`, or gives what it gave before. */
  readonly through?: ReadThrough;
}

/**
 * Files whose text is no input give none, and are reported, each time. `isAtOnce` reads on this thread: for a file system
 * that answers from memory that takes a third of the time.
 */
export type ReadThrough = (path: string, read: (isAtOnce?: boolean) => Promise<SourceFile[]>) => Promise<SourceFile[]>;

/**
 * The files that `paths` name: files as they are, folders recursively (`*.yaml`, `*.yml`, `*.json`, sorted, each
 * folder once however many links lead to it), `-` for standard input. A file that is too large or no UTF-8 text is
 * reported and left out; one that cannot be read throws `SourceError`.
 */
export async function readSources(
  paths: readonly string[],
  bag: DiagnosticBag,
  options: ReadOptions = {},
): Promise<SourceFile[]> {
  const limit = options.maxFileBytes ?? defaultLimits.maxFileBytes;
  const through: ReadThrough = options.through ?? ((_, read) => read());
  const seen = new Set<string>();
  const files: SourceFile[] = [];
  for (const path of paths) {
    if (path === '-') {
      if (!seen.has('-')) files.push(...(await readStdin(options.stdin ?? process.stdin, bag, limit)));
      seen.add('-');
      continue;
    }
    const names = await namesOf(toSlashes(path), seen, options.filesOnly ? 'file' : 'any');
    for (let at = 0; at < names.length; at += batch) {
      const some = names
        .slice(at, at + batch)
        .map((name) => through(name, (isAtOnce) => readOne(name, bag, limit, isAtOnce)));
      files.push(...(await Promise.all(some)).flat());
    }
  }
  for (const file of files) {
    // An empty pipe is a command that failed, not a wish for an empty mesh.
    if (file.path === '-' && isEmpty(file))
      bag.report('empty-input', undefined, { what: 'standard input', thing: 'object' });
  }
  if (!bag.hasErrors && files.every(isEmpty))
    bag.report('empty-input', undefined, { what: 'the input', thing: 'object' });
  return files;
}

function isEmpty(file: SourceFile): boolean {
  return cutDocuments(file.text).length === 0;
}

function toSlashes(path: string): string {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
}

/** What a path may be: named by the user, and then a pipe too or no pipe; or found in a folder. */
type Place = 'any' | 'file' | 'found';

/** Real paths go into `seen`: a file that is named twice is read once. */
async function namesOf(path: string, seen: Set<string>, place: Place): Promise<string[]> {
  try {
    const real = await realpath(path);
    if (!isNew(real, seen)) return [];
    const stats = await stat(path);
    if (place !== 'any' && !stats.isDirectory() && !stats.isFile())
      throw new SourceError(`"${path}" is a pipe or device`);
    if (!stats.isDirectory()) return [path];
    const entries = await readdir(path, { withFileTypes: true });
    const names: string[] = [];
    if (place === 'found' && entries.some(({ name }) => name === outputMarker)) return [];
    for (const entry of entries.sort((a, b) => compareStrings(a.name, b.name))) {
      // Kubernetes mounts a volume's files as links into folders of this form, which change their names.
      if (entry.name.startsWith('..')) continue;
      const child = path.endsWith('/') ? path + entry.name : `${path}/${entry.name}`;
      if (entry.isFile()) {
        // No link, so its real path is known.
        if (isInput(entry.name) && isNew(join(real, entry.name), seen)) names.push(child);
        continue;
      }
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(child)));
      if (isFolder || isInput(entry.name)) names.push(...(await namesOf(child, seen, 'found')));
    }
    return names;
  } catch (cause) {
    if (cause instanceof SourceError) throw cause;
    throw new SourceError(`cannot read "${path}"`, { cause });
  }
}

function isInput(name: string): boolean {
  return /\.(?:ya?ml|json)$/.test(name);
}

function isNew(real: string, seen: Set<string>): boolean {
  const isSeen = seen.has(real);
  seen.add(real);
  return !isSeen;
}

/** A link that leads nowhere counts as a file: it is reported when its name says that it is an input. */
async function leadsToFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

async function readOne(path: string, bag: DiagnosticBag, limit: number, isAtOnce = false): Promise<SourceFile[]> {
  try {
    const stats = isAtOnce ? statSync(path) : await stat(path);
    if (stats.size > limit) return tooLarge(path, stats.size, bag, limit);
    if (stats.isFile() && stats.size > 0)
      return fileOf(path, isAtOnce ? readFileSync(path) : await readFile(path), bag, limit);
    // A pipe, or a file of the kernel's, has no size to trust.
    return await collect(path, createReadStream(path, { highWaterMark: 1 << 18 }), bag, limit);
  } catch (cause) {
    throw new SourceError(`cannot read "${path}"`, { cause });
  }
}

async function readStdin(stdin: AsyncIterable<Uint8Array>, bag: DiagnosticBag, limit: number): Promise<SourceFile[]> {
  try {
    return await collect('-', stdin, bag, limit);
  } catch (cause) {
    throw new SourceError('cannot read standard input', { cause });
  }
}

async function collect(
  path: string,
  stream: AsyncIterable<Uint8Array>,
  bag: DiagnosticBag,
  limit: number,
): Promise<SourceFile[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) return tooLarge(path, size, bag, limit);
  }
  return fileOf(path, Buffer.concat(chunks), bag, limit);
}

function fileOf(path: string, bytes: Uint8Array, bag: DiagnosticBag, limit: number): SourceFile[] {
  // It may have grown since somebody asked for its size.
  if (bytes.length > limit) return tooLarge(path, bytes.length, bag, limit);
  const decoded = decode(bytes);
  if ('text' in decoded) return [{ path, text: decoded.text }];
  bag.report('wrong-encoding', { file: path, start: 0, end: 0 }, { reason: decoded.refusal });
  return [];
}

function tooLarge(path: string, size: number, bag: DiagnosticBag, limit: number): SourceFile[] {
  bag.report('file-too-large', { file: path, start: 0, end: 0 }, { size: String(size), limit: String(limit) });
  return [];
}
