import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** File that its output goes to. */
  readonly log: string;
}

/** A server that is stopped, continued, ended and started again at the same place. */
export class ServerProcess {
  readonly #command: ServerCommand;
  #child: ChildProcess | undefined;

  constructor(command: ServerCommand) {
    this.#command = command;
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** What it has said last. */
  get lastWords(): string {
    return readFileSync(this.#command.log, 'utf8').slice(-2_000);
  }

  start(): void {
    const { program, args, log } = this.#command;
    const output = openSync(log, 'a', 0o600);
    // It ends with this process, however that one ends.
    const argv = ['--pdeathsig', 'KILL', program, ...args];
    // A server's start makes little that stays: collecting garbage less often saves a fifth of what it computes.
    const env = { ...process.env, GOGC: '400' };
    this.#child = spawn('setpriv', argv, { stdio: ['ignore', output, output], env });
    closeSync(output);
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.#child?.kill(name);
  }

  /** At once, as a machine that fails. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
