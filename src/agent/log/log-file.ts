import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { AgentError } from '../agent-error.ts';

/** Takes one whole line, newline included. */
export type WriteLine = (line: string) => void;

/** When a log file is set aside, and for how long such files are kept. */
export interface RotateOptions {
  readonly path: string;
  /** Largest size of the file; a single line that is longer gets a file of its own. */
  readonly maxBytes: number;
  /** Files set aside that are kept, the newest ones; 0 for all. */
  readonly maxBackups: number;
  /** Age in days, by their names, from which files set aside are removed; 0 for none. */
  readonly maxAgeDays: number;
  /** Milliseconds since 1970; a parameter for tests. */
  readonly now?: () => number;
}

/** Appends to a file, which is made when it is not there; its folder is not. Throws an AgentError. */
export function openLogFile(path: string): WriteLine {
  const file = open(path);
  return (line) => append(file, path, line);
}

/**
 * Appends to a file that is set aside as `name-TIME.ext`, UTC with dashes for colons, before it grows over its size. The
 * folder is made when it is not there. Throws an AgentError.
 */
export function openRotatingFile({ path, maxBytes, now = Date.now, ...limits }: RotateOptions): WriteLine {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o744 });
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
  let file = open(path);
  removeOld(path, limits, now());
  return (line) => {
    const { size, mode } = fstatSync(file);
    if (size > 0 && size + Buffer.byteLength(line) > maxBytes) {
      closeSync(file);
      renameSync(path, freeName(path, now()));
      file = open(path, mode & 0o777);
      removeOld(path, limits, now());
    }
    append(file, path, line);
  };
}

function open(path: string, mode = 0o644): number {
  try {
    return openSync(path, 'a', mode);
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
}

function cannotOpen(path: string, cause: unknown): AgentError {
  return new AgentError('log-unwritable', `cannot write the log to "${path}"`, { cause });
}

/** A disk that is full must not end what is logged about. */
function append(file: number, path: string, line: string): void {
  try {
    writeSync(file, line);
  } catch (error) {
    process.stderr.write(`cannot write the log to "${path}": ${(error as Error).message}\n${line}`);
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

function removeOld(path: string, limits: Pick<RotateOptions, 'maxBackups' | 'maxAgeDays'>, now: number): void {
  const { maxBackups, maxAgeDays } = limits;
  const backups = readdirSync(dirname(path))
    .flatMap((name) => {
      const time = timeOf(name, path);
      return time === undefined ? [] : [{ name, time }];
    })
    .sort((a, b) => b.time - a.time);
  for (const [i, { name, time }] of backups.entries()) {
    const isTooMany = maxBackups > 0 && i >= maxBackups;
    const isTooOld = maxAgeDays > 0 && now - time > maxAgeDays * 86_400_000;
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
