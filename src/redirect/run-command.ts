import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { RedirectError } from './redirect-error.ts';
import type { Step } from './step.ts';

/** How a command ended. */
export interface CommandResult {
  /** Undefined when it could not be run, was stopped, or ran over its time. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Ends the command. */
  readonly stop?: AbortSignal | undefined;
  /** Undefined: as long as any command of ours may take without waiting for a lock. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 20_000;

/** Folders of system commands: a service's PATH often lacks them. */
const systemFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

function searchPath(): string {
  return [process.env.PATH ?? '', ...systemFolders].filter((folder) => folder !== '').join(delimiter);
}

/** Runs one command without a shell. Throws a RedirectError when there is no such program. */
export async function runCommand({ argv, input }: Step, options: RunOptions = {}): Promise<CommandResult> {
  const [command = '', ...args] = argv;
  const { stop, timeoutMs = usualTimeoutMs } = options;
  const result = await execa(command, args, {
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    ...(stop === undefined ? {} : { cancelSignal: stop }),
    // Messages are read, and not in the user's language.
    env: { PATH: searchPath(), LC_ALL: 'C' },
    timeout: timeoutMs,
    reject: false,
    stripFinalNewline: false,
  });
  if (result.code === 'ENOENT') {
    throw new RedirectError('iptables-not-found', `there is no "${command}" in ${searchPath()}`, { cause: result });
  }
  const stderr = result.timedOut ? `it ran longer than ${timeoutMs / 1000} s` : result.stderr;
  return { exitCode: result.exitCode, stdout: result.stdout, stderr };
}

/** Whether a program of this name can be run. */
export async function hasCommand(name: string): Promise<boolean> {
  for (const folder of searchPath().split(delimiter)) {
    try {
      await access(join(folder, name), constants.X_OK);
      return true;
    } catch {
      // Not here: the next folder.
    }
  }
  return false;
}
