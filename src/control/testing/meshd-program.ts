import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { eventually } from '../../testing/eventually.ts';

/** `meshd serve` as a process. */
export class MeshdProgram {
  /** Of both its streams. */
  output = '';
  /** Exit code, or the name of the signal. */
  readonly exit: Promise<number | string>;
  readonly #child: ChildProcess;

  /** Starts a command line in a folder, with these variables and the search path alone; DNS only where they ask for it. */
  constructor(folder: string, command: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const [file = '', ...argv] = command;
    this.#child = spawn(file, argv, {
      cwd: folder,
      env: { PATH: process.env.PATH, DNS_ADDR: '', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.on('data', (text) => (this.output += text));
    this.exit = once(this.#child, 'close').then(([code, signal]) => signal ?? code);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Of the listener with TLS, once it is open; the log is JSON. */
  async port(): Promise<number> {
    const said = /"serving gRPC over TLS".*"port":(\d+)/;
    await eventually(() => expect(this.output).toMatch(said), { interval: 20 });
    return Number(said.exec(this.output)?.[1]);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}
