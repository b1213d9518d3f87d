import { closeSync, fstatSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { makeFolderSync } from '../../lib/make-folder.ts';
import { AgentError } from '../agent-error.ts';

/** When a log file is rotated, and for how long rotated files are kept. */
export interface RotateOptions {
  /** Largest size of the file; a single line that is longer gets a file of its own. */
  readonly maxBytes: number;
  /** Files set aside that are kept, the newest ones; 0 for all. */
  readonly maxBackups: number;
  /** Age in days, by their names, from which files set aside are removed; 0 for none. */
  readonly maxAgeDays: number;
  /** Milliseconds since 1970; a parameter for tests. */
  readonly now?: () => number;
}

/**
 * A file that lines are appended to, created if it is absent. With `rotate` its folder is created too, and the file is
 * renamed to `name-TIME.ext`, UTC with dashes for colons, before it exceeds its size. Each method throws what the system says,
 * and leaves the file in use that was in use before.
 */
export class LogFile {
  readonly #path: string;
  readonly #rotate: RotateOptions | undefined;
  #file: number;
  /** The last line was cut off by a disk that got full. */
  #isTorn = false;

  /** Throws an AgentError when the file cannot be opened. */
  constructor(path: string, rotate?: RotateOptions) {
    this.#path = path;
    this.#rotate = rotate;
    try {
      this.#file = this.#open();
      if (rotate !== undefined) removeOld(path, rotate);
    } catch (cause) {
      throw new AgentError('log-unwritable', `cannot write the log to "${path}"`, { cause });
    }
  }

  /** Appends one whole line, newline included. */
  write(line: string): void {
    if (this.#rotate !== undefined) this.#makeRoom(this.#rotate, Buffer.byteLength(line));
    const bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
    const written = writeSync(this.#file, bytes);
    const isWhole = written === bytes.length;
    if (written > 0) this.#isTorn = !isWhole;
    if (!isWhole) throw new Error('no space left for a whole line');
  }

  /** Goes on in the file that has the path now: whoever rotates logs from outside moved the old one away. */
  reopen(): void {
    const old = this.#file;
    this.#file = this.#open();
    this.#isTorn = false;
    closeSync(old);
  }

  #open(mode = 0o644): number {
    if (this.#rotate !== undefined) makeFolderSync(dirname(this.#path), 0o744);
    return openSync(this.#path, 'a', mode);
  }

  /** A file that cannot be set aside grows on: its lines are worth more than its size. */
  #makeRoom(options: RotateOptions, length: number): void {
    const { size, mode } = fstatSync(this.#file);
    if (size === 0 || size + length <= options.maxBytes) return;
    try {
      setAside(this.#path, (options.now ?? Date.now)());
      const old = this.#file;
      this.#file = this.#open(mode & 0o777);
      this.#isTorn = false;
      closeSync(old);
      removeOld(this.#path, options);
    } catch {
      // The next line tries again.
    }
  }
}

/** A file that is not there has been set aside before, when its successor could not be opened. */
function setAside(path: string, time: number): void {
  try {
    renameSync(path, freeName(path, time));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Two files in one millisecond have names of their own. */
function freeName(path: string, time: number): string {
  const taken = new Set(readdirSync(dirname(path)));
  for (let at = time; ; at += 1) {
    const name = `${stem(path)}-${new Date(at).toISOString().slice(0, -1).replaceAll(':', '-')}${extname(path)}`;
    if (!taken.has(name)) return join(dirname(path), name);
  }
}

function removeOld(path: string, { maxBackups, maxAgeDays, now = Date.now }: RotateOptions): void {
  const backups = readdirSync(dirname(path))
    .flatMap((name) => {
      const time = timeOf(name, path);
      return time === undefined ? [] : [{ name, time }];
    })
    .sort((a, b) => b.time - a.time);
  for (const [i, { name, time }] of backups.entries()) {
    const isTooMany = maxBackups > 0 && i >= maxBackups;
    const isTooOld = maxAgeDays > 0 && now() - time > maxAgeDays * 86_400_000;
    if (isTooMany || isTooOld) rmSync(join(dirname(path), name), { force: true });
  }
}

/** When a file was set aside, by its name; undefined for files of others. */
function timeOf(name: string, path: string): number | undefined {
  const [start, end] = [`${stem(path)}-`, extname(path)];
  if (!name.startsWith(start) || !name.endsWith(end)) return undefined;
  const text = name.slice(start.length, name.length - end.length);
  const [, day, hour, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(text) ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T${hour}:${minute}:${second}Z`);
}

function stem(path: string): string {
  return basename(path, extname(path));
}
