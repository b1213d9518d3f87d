import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { constants as osConstants } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { WorldFailure } from '../lib/failure.ts';

/** Where Envoy may be found, in this order: the flag, `ENVOY_BINARY`, `.tools/bin/envoy` of the repository, `PATH`. */
export interface EnvoySearch {
  /** What the flag names. */
  readonly proxyBinary?: string | undefined;
  /** Name of the flag, for messages; `--proxyBinary` by default. */
  readonly flag?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly repositoryRoot?: string | undefined;
}

/** No executable Envoy, or none where one was named. */
export class EnvoyNotFoundError extends WorldFailure<'envoy-not-found'> {
  constructor(message: string, options?: ErrorOptions) {
    super('envoy-not-found', message, options);
  }
}

/** The path of the Envoy to run. A place that is named but holds no executable is an error, never passed over. */
export function findEnvoy({ proxyBinary, flag = '--proxyBinary', env, repositoryRoot }: EnvoySearch): string {
  const named = proxyBinary ?? env.ENVOY_BINARY;
  if (named !== undefined && named !== '') return locate(named, env, proxyBinary === undefined ? 'ENVOY_BINARY' : flag);
  const own = repositoryRoot && path.join(repositoryRoot, '.tools', 'bin', 'envoy');
  if (own && isExecutable(own)) return own;
  const found = searchPath('envoy', env);
  if (found !== undefined) return found;
  throw new EnvoyNotFoundError(
    `no Envoy found: run "make setup", name it with ${flag} or ENVOY_BINARY, or put it into PATH`,
  );
}

function locate(name: string, env: EnvoySearch['env'], origin: string): string {
  const found = name.includes('/') ? path.resolve(name) : searchPath(name, env);
  if (found !== undefined && isExecutable(found)) return found;
  throw new EnvoyNotFoundError(`${origin} names "${name}", which is no executable file`);
}

function searchPath(name: string, env: EnvoySearch['env']): string | undefined {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there or not ours to run: the search goes on.
    return false;
  }
}

/** How a process ended: exactly one of the two is set. */
export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The code that a shell, and this product, gives for an exit status: 128 and the signal's number after a signal. */
export function exitCode({ code, signal }: ExitStatus): number {
  return code ?? 128 + (signal === null ? 0 : osConstants.signals[signal]);
}

export interface SpawnOptions {
  readonly binary: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** What becomes of the two output streams: this process' own (the default), or `stdout` and `stderr` to read. */
  readonly output?: 'inherit' | 'pipe' | 'ignore';
}

/** A running Envoy; it leads its own process group, so that a terminal's Ctrl-C reaches the agent alone. */
export interface EnvoyProcess {
  readonly pid: number;
  /** Resolves once, when the process has ended and its output is read; never rejects. */
  readonly exited: Promise<ExitStatus>;
  /** Sends a signal; false when the process has ended already. */
  signal(name: NodeJS.Signals): boolean;
  /** Present with output `pipe`. */
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

/** The system would not start the program. */
export class EnvoyStartError extends WorldFailure<'envoy-exited'> {
  constructor(message: string, options?: ErrorOptions) {
    super('envoy-exited', message, options);
  }
}

/** Starts Envoy; resolves once the program runs, which says nothing about its configuration. */
export async function spawnEnvoy(options: SpawnOptions): Promise<EnvoyProcess> {
  const output = options.output ?? 'inherit';
  const child = spawn(options.binary, options.args, {
    detached: true,
    stdio: ['ignore', output, output],
    ...(options.env !== undefined && { env: { ...options.env } }),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  const exited = exitOf(child);
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new EnvoyStartError(`${options.binary} could not be started`, { cause });
  }
  return {
    pid: child.pid ?? 0,
    exited,
    signal: (name) => child.kill(name),
    stdout: child.stdout,
    stderr: child.stderr,
  };
}

function exitOf(child: ChildProcess): Promise<ExitStatus> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}
