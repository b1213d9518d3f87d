import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { explainDeadLink } from '../lib/read-file.ts';

/** What a path stands for, links followed. */
export interface SourceStats {
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** What a folder holds, links as they are. */
export interface SourceEntry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Where inputs are found and read: a file system, or what has the form of one. Errors have the system's codes. */
export interface SourceDisk {
  /** The path without links; one that leads out of what can be read here begins with `/` or `..`. */
  real(path: string): Promise<string>;
  stat(path: string): Promise<SourceStats>;
  list(folder: string): Promise<readonly SourceEntry[]>;
  read(path: string): Promise<Uint8Array>;
  /** The error of a path that cannot be read, in words for people. */
  explain(cause: unknown, path: string): Promise<unknown>;
}

/** The files of this machine. */
export const fileSystem: SourceDisk = {
  real: (path) => realpath(path),
  stat: (path) => stat(path),
  list: (folder) => readdir(folder, { withFileTypes: true }),
  read: (path) => readFile(path),
  explain: explainDeadLink,
};
