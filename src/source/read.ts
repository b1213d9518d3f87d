import { createReadStream, readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from './document.ts';
import { reportEmpty } from './empty-files.ts';
import { Exclusion } from './exclusion.ts';
import { decode } from './file-text.ts';
import { findFiles, SourceError } from './find.ts';
import { defaultLimits } from './limits.ts';
import { lookAlikes } from './look-alike.ts';
import { isProjectFile } from './project-file.ts';
import type { SourceDisk } from './source-disk.ts';

/** So many files are read at once: the most of reading a small file is waiting. */
const batch = 16;

export interface ReadOptions {
  /** What `-` stands for. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly maxFileBytes?: number | undefined;
  /** Refuses pipes and devices that are named, as it does those in folders: reading them may take for ever. */
  readonly filesOnly?: boolean;
  /** Reads one file by `read`, or gives what it gave before, to the same paths. */
  readonly through?: ReadThrough;
  /** Patterns, as in `.gitignore`, of what is left out of the inputs. */
  readonly exclude?: readonly string[];
  /** Where the files are; absent: on this machine. */
  readonly disk?: SourceDisk | undefined;
}

/**
 * Files whose text is no input give none, and are reported, each time. `isAtOnce` reads on this thread: for a file system
 * that answers from memory that takes a third of the time.
 */
export type ReadThrough = (path: string, read: (isAtOnce?: boolean) => Promise<SourceFile[]>) => Promise<SourceFile[]>;

/**
 * The files that `paths` name: files as they are, folders recursively (`*.yaml`, `*.yml`, `*.json` in any case, sorted,
 * each folder once however many links lead to it), `-` for standard input. A file that is too large or no UTF-8 text is
 * reported and left out; one that cannot be read, or is not to be, throws `SourceError`. Warned of are files without a
 * document, and files of a folder that only their name keeps from being read. What the compiler wrote is no input. What `exclude` and the lists in folders
 * (`.meshpolignore`) leave out is reported in one line.
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
  const others: string[] = [];
  const find = {
    ...{ seen, takesPipes: options.filesOnly !== true, isWanted: isInput },
    leavesOutOutputs: true,
    // A guess at what they hold is worth a warning, and on no other disk than this machine's the reading.
    onOther: (path: string) => void (options.disk === undefined && others.push(path)),
    disk: options.disk,
  };
  const exclusion = new Exclusion(options.exclude ?? []);
  for (const path of paths) {
    if (path === '-') {
      if (!seen.has('-')) files.push(...(await readStdin(options.stdin ?? process.stdin, bag, limit)));
      seen.add('-');
      continue;
    }
    const named = plainPath(path);
    const below = exclusion.of(named);
    if (below.leavesOut(named, false)) continue;
    const names = (await findFiles(named, { ...find, exclusion: below })).filter((name) => !isProjectFile(name));
    // What was named is what was meant; a folder may hold other programs' files.
    const isFound = names[0] !== named;
    for (let at = 0; at < names.length; at += batch) {
      const some = names
        .slice(at, at + batch)
        .map((name) =>
          through(name, (isAtOnce) => readOne(name, bag, { limit, isFound, isAtOnce, disk: options.disk })),
        );
      files.push(...(await Promise.all(some)).flat());
    }
  }
  reportEmpty(files, bag);
  reportExcluded(exclusion, bag);
  for (const path of await lookAlikes(others)) bag.report('skipped-by-name', { file: path, start: 0, end: 0 }, {});
  // Whoever parses the files knows the default limit alone.
  return options.maxFileBytes === undefined ? files : files.map((file) => ({ ...file, isSizeChecked: true as const }));
}

/** So many of the paths that were left out are named. */
const maxNamed = 5;

function reportExcluded({ paths, idle }: Exclusion, bag: DiagnosticBag): void {
  for (const glob of idle) bag.report('exclude-without-file', undefined, { glob });
  if (paths.length === 0) return;
  const more = paths.length > maxNamed ? [`and ${paths.length - maxNamed} more`] : [];
  bag.report('excluded-inputs', undefined, { paths: [...paths.slice(0, maxNamed), ...more].join(', ') });
}

/** With slashes, and without `./` at the start; `./-` is a file, other than `-`. */
function plainPath(path: string): string {
  const slashed = process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  const plain = slashed.replace(/^(?:\.\/+)+/, '');
  return plain === '-' ? slashed : plain || '.';
}

/** Whether a file of a folder is read, by its name. */
export function isInput(name: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(name);
}

async function readOne(
  path: string,
  bag: DiagnosticBag,
  { isFound, ...options }: OneFile & { readonly isFound: boolean },
): Promise<SourceFile[]> {
  const files = await readText(path, bag, options);
  return isFound ? files.map((file) => ({ ...file, isFound })) : files;
}

interface OneFile extends Pick<ReadOptions, 'disk'> {
  readonly limit: number;
  readonly isAtOnce?: boolean | undefined;
}

async function readText(
  path: string,
  bag: DiagnosticBag,
  { limit, isAtOnce = false, disk }: OneFile,
): Promise<SourceFile[]> {
  try {
    if (disk !== undefined) {
      const { size } = await disk.stat(path);
      return size > limit ? tooLarge(path, size, bag, limit) : fileOf(path, await disk.read(path), bag, limit);
    }
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
