import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PlainLog } from '../../lib/log.ts';
import type { CompileData, FromCompiler } from './compile-messages.ts';
import type { Fleet } from './fleet.ts';
import { SnapshotReceiver } from './mesh-snapshot.ts';

/** The thread's program, which the build puts beside meshd's. */
const ownProgram = join(import.meta.dirname, 'meshd-compile.cjs');

/** What is counted of compilations. */
export interface CompileObserver {
  compiled?(ms: number): void;
  /** Inputs that cannot be served. */
  refused?(): void;
  /** The thread has ended by itself, and is started again. */
  restarted?(): void;
}

export interface SupervisorOptions {
  readonly data: CompileData;
  readonly fleet: Fleet;
  readonly log: PlainLog;
  readonly observer?: CompileObserver | undefined;
  readonly program?: string | undefined;
  /** The most that the thread's heap may grow to, in MiB; absent: as V8 decides. */
  readonly heapMiB?: number | undefined;
}

const shortestPauseMs = 1_000;
const longestPauseMs = 60_000;

/**
 * Keeps a thread that compiles, so that nobody else has to wait for it. When it ends, by a fault or for lack of memory,
 * what was served last is served on, and a new thread begins.
 */
export class CompileSupervisor {
  readonly #options: SupervisorOptions;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = shortestPauseMs;
  #isClosed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#start();
  }

  /** Of the thread that runs; for tests. */
  get worker(): Worker | undefined {
    return this.#worker;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
  }

  #start(): void {
    const { data, program = ownProgram, heapMiB, fleet, log, observer } = this.#options;
    const worker = new Worker(program, {
      workerData: data,
      resourceLimits: heapMiB === undefined ? {} : { maxOldGenerationSizeMb: heapMiB },
    });
    this.#worker = worker;
    const receiver = new SnapshotReceiver(fleet.snapshot);
    worker.on('message', (message: FromCompiler) => {
      if (message.type === 'refused') {
        observer?.refused?.();
        log.error(`the inputs have errors; proxies that they concern keep the last valid policies\n${message.text}`);
        return;
      }
      const snapshot = receiver.receive(message.snapshot);
      this.#pauseMs = shortestPauseMs;
      observer?.compiled?.(message.ms);
      log.info('configuration compiled', { proxies: snapshot.proxies.size, milliseconds: Math.round(message.ms) });
      fleet.update(snapshot);
    });
    let reason = 'the thread that compiles has ended';
    worker.on('error', (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', () => this.#restart(reason));
  }

  #restart(reason: string): void {
    if (this.#isClosed) return;
    const { log, observer } = this.#options;
    observer?.restarted?.();
    log.error('the thread that compiles is started again; what was served last stays', { reason });
    this.#timer = setTimeout(() => this.#start(), this.#pauseMs);
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
  }
}
