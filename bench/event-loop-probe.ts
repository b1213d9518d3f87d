import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { ms } from './measure.ts';
import type { MeshdSurroundings } from './meshd-folder.ts';

/** What a program holds once its garbage is collected, in bytes. */
export interface HeldMemory {
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
}

/** Asks a program that was started with {@link surroundings} about its main thread. */
export class EventLoopProbe {
  readonly #path: string;

  /** `path` of the Unix socket that the program makes. */
  constructor(path: string) {
    this.#path = path;
  }

  get surroundings(): MeshdSurroundings {
    return {
      nodeFlags: ['--import', resolve('bench/event-loop-probe.mjs')],
      environment: { BENCH_PROBE: this.#path },
    };
  }

  /** Forgets the longest stall so far. */
  async reset(): Promise<void> {
    await ask(this.#path, '/reset');
  }

  /** The longest since {@link reset}, for people. */
  async stall(): Promise<string> {
    const { longestMs, busiestMs } = await ask<Record<'longestMs' | 'busiestMs', number>>(this.#path, '/stall');
    return `longest stall ${ms(longestMs)}, of one task at most ${ms(busiestMs)} of a processor`;
  }

  heap(): Promise<HeldMemory> {
    return ask(this.#path, '/heap');
  }

  /** With BENCH_PROFILES, a folder, the main thread is profiled until {@link profiled}. */
  async profile(): Promise<void> {
    if (process.env.BENCH_PROFILES !== undefined) await ask(this.#path, '/profile');
  }

  /** Writes the profile to that folder. */
  async profiled(name: string): Promise<void> {
    const { BENCH_PROFILES } = process.env;
    if (BENCH_PROFILES === undefined) return;
    await writeFile(join(BENCH_PROFILES, `${name}.cpuprofile`), JSON.stringify(await ask(this.#path, '/profiled')));
  }
}

function ask<Answer>(socketPath: string, path: string): Promise<Answer> {
  return new Promise((done, fail) => {
    const asked = request({ socketPath, path }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString()) as Answer));
    });
    asked.on('error', fail);
    asked.end();
  });
}
