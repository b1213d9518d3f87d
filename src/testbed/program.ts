import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { until } from './until.ts';

export interface RunResult {
  /** 128 + signal when a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that goes on running inside a sandbox. */
export interface RunningProgram {
  /** File that both its output streams go to. */
  readonly output: string;
  /** Its process id inside the sandbox. */
  readonly pid: number;
  /** Undefined while it runs. */
  readonly exitCode: number | undefined;
  /** Sends a signal to the program itself, not to the entering command. */
  signal(name: 'TERM' | 'INT' | 'KILL' | 'HUP' | 'STOP' | 'CONT'): Promise<void>;
  /** Resolves with its exit code. */
  readonly exited: Promise<number>;
}

/** Runs a command line to its end; after the deadline it is killed and counts as exit 137. */
export function runProgram(
  argv: readonly string[],
  { stdin, timeoutMs = 30_000 }: { readonly stdin?: string; readonly timeoutMs?: number },
): Promise<RunResult> {
  const [command = '', ...args] = argv;
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 64 << 20 },
      (_error, stdout, stderr) => resolve({ exitCode: exitCodeOf(child), stdout, stderr }),
    );
    // A program may end before it has read its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin ?? '');
  });
}

/** Starts `argv`, which begins with an entering command (nsenter); `enter` steps in again to send signals. */
export async function startProgram(
  argv: readonly string[],
  output: string,
  enter: readonly string[],
): Promise<RunningProgram> {
  const [command = '', ...args] = argv;
  const file = await open(output, 'a');
  const child = spawn(command, args, { detached: true, stdio: ['ignore', file.fd, file.fd] });
  const exited = once(child, 'exit').then(() => exitCodeOf(child));
  await file.close();
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  // The entering command forks a moment after it was started; before that there is nobody to signal.
  const pid = await until(async () => (hasEnded() ? '' : await innerPid(child.pid ?? 0)), {
    timeoutMs: 60_000,
    everyMs: 2,
    otherwise: async () => `${argv.join(' ')} did not start`,
  });
  return {
    output,
    pid: Number(pid),
    exited,
    get exitCode() {
      return hasEnded() ? exitCodeOf(child) : undefined;
    },
    signal: async (name) => {
      if (hasEnded()) return;
      await runProgram([...enter, 'sh', '-c', `kill -${name} ${pid}`], {});
      // The entering command stops with its program and continues it; stopped it would not see its end either.
      if (name === 'CONT' || name === 'KILL') child.kill('SIGCONT');
    },
  };
}

/** Process id, inside its process namespace, of the program that an entering command waits for. */
async function innerPid(entering: number): Promise<string | undefined> {
  try {
    const children = await readFile(`/proc/${entering}/task/${entering}/children`, 'utf8');
    const [child] = children.trim().split(' ');
    const status = await readFile(`/proc/${child}/status`, 'utf8');
    return /^NSpid:.*?(\d+)$/m.exec(status)?.[1];
  } catch {
    // It has ended, or has not forked yet.
    return undefined;
  }
}

function exitCodeOf({ exitCode, signalCode }: ChildProcess): number {
  if (exitCode !== null) return exitCode;
  return signalCode === 'SIGTERM' ? 143 : signalCode === 'SIGINT' ? 130 : 137;
}
