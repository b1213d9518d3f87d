import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';

export interface ProgramOptions {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** How long a program may take for whatever is waited for. */
const patienceMs = 180_000;

/** A process whose output is read as it comes, and the times at which it came. */
export class Program {
  output = '';
  readonly exited: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #startedAt = performance.now();
  readonly #listeners = new Set<() => void>();

  constructor([file = '', ...args]: readonly string[], { folder, environment = {} }: ProgramOptions) {
    const env = { PATH: process.env.PATH, ...environment };
    this.#child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (text) => {
        this.output += text;
        for (const look of [...this.#listeners]) look();
      });
    }
    this.exited = once(this.#child, 'close');
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Milliseconds since the start. */
  get age(): number {
    return performance.now() - this.#startedAt;
  }

  /** When the output holds the text so many times, in milliseconds since the start. */
  seen(text: string, times = 1): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => end(new Error(`no "${text}" in:\n${this.output}`)), patienceMs);
      const end = (error?: Error): void => {
        clearTimeout(late);
        this.#listeners.delete(look);
        if (error === undefined) resolve(this.age);
        else reject(error);
      };
      const look = (): void => {
        if (this.output.split(text).length > times) end();
      };
      this.#listeners.add(look);
      void this.exited.then(() => end(new Error(`ended without "${text}":\n${this.output}`)));
      look();
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.signal(signal);
    await this.exited;
  }
}
