import { join } from 'node:path';
import { type CompileResult, ReplacedCompilation } from '../../contracts/compile-result.ts';
import { withChange } from '../good-change.ts';
import { type ReadFiles, tellLargest } from '../largest-files.ts';
import type { GoodState, ProxyInputs } from '../proxy-inputs.ts';
import { CompilationRun } from './compilation-run.ts';
import { CompileWorker, type Told } from './compile-worker.ts';
import { errorOf, type PlainResult } from './messages.ts';
import { FileReceiver } from './plain-files.ts';

/** The thread's program, which the build puts beside the agent's. */
const ownProgram = join(import.meta.dirname, 'agent-compile.cjs');

/** A compilation may take so long, or four times as long as the longest one that ended, before it is given up. */
const shortestLimitMs = 60_000;

/**
 * A compilation that newer inputs replace may take so long, or twice as long as the longest one that ended: within that
 * it is worth its end, since a new thread begins with nothing in its memory.
 */
const shortestReplacedMs = 5_000;

export interface ThreadOptions {
  readonly program?: string;
  readonly limitMs?: number;
  /** Instead of five seconds. */
  readonly replacedMs?: number;
  /** The most that the thread's heap may grow to, in MiB; absent: as V8 decides. */
  readonly heapMiB?: number | undefined;
}

/** The compilation is not possible here; the inputs have to become others. */
class GivenUp extends Error {}

/**
 * Compiles in a thread of its own, so that no input holds up the agent's probes, signals and certificates. What needs
 * too much time or memory is given up, and is a fault of the inputs; the next compilation gets a new thread, which knows
 * the last valid inputs.
 */
export class CompileThread {
  readonly #inputs: ProxyInputs;
  readonly #options: ThreadOptions;
  #good: GoodState | undefined;
  #worker: CompileWorker | undefined;
  #run: CompilationRun | undefined;
  #longestMs = 0;
  /** The compilation before was replaced: this one goes on, or constant changes would keep all from ending. */
  #mustEnd = false;
  /** Of the running compilation. */
  #read: ReadFiles | undefined;
  /** Threads that are being ended; a new one waits, or both would need memory at once. */
  #ending: Promise<void> = Promise.resolve();
  readonly #receiver = new FileReceiver();

  constructor(inputs: ProxyInputs, good: GoodState | undefined, options: ThreadOptions = {}) {
    this.#inputs = inputs;
    this.#options = options;
    this.#good = good;
  }

  /**
   * One at a time. Before anything is in force nobody waits for an answer, and no time is set. Once `replaced` fires, a
   * compilation that takes longer than others is ended with a `ReplacedCompilation`, but not two of them in a row.
   */
  async compile(replaced?: AbortSignal): Promise<CompileResult> {
    await this.#ending;
    try {
      return (await this.#ask('compile', this.#mustEnd ? undefined : replaced)) ?? { problems: [] };
    } catch (error) {
      if (error instanceof GivenUp) return { problems: [error.message] };
      throw error;
    }
  }

  /** A new thread, after inputs that the one before ended of, knows of the inputs in force, too. */
  async renew(): Promise<CompileResult | undefined> {
    await this.#ending;
    try {
      return await this.#ask('renew', undefined);
    } catch (error) {
      if (error instanceof GivenUp) return { problems: [error.message] };
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#worker?.end(new Error('the thread that compiles is closed'));
  }

  #ask(type: 'compile' | 'renew', replaced: AbortSignal | undefined): Promise<CompileResult | undefined> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#mustEnd = false;
    this.#read = undefined;
    const { limitMs = shortestLimitMs, replacedMs = shortestReplacedMs } = this.#options;
    const isBounded = this.#good !== undefined;
    const longestMs = Math.max(limitMs, 4 * this.#longestMs);
    const run = new CompilationRun({
      limitMs: isBounded ? longestMs : undefined,
      replacedMs: isBounded ? Math.max(replacedMs, 2 * this.#longestMs) : undefined,
      replaced,
      onLimit: () => {
        const why = `compiling takes longer than ${Math.round(longestMs / 1000)} s; make the inputs smaller or simpler`;
        this.#ending = worker.end(new GivenUp(why + tellLargest(this.#read)));
      },
      onReplaced: () => {
        this.#mustEnd = true;
        this.#ending = worker.end(new ReplacedCompilation('newer inputs are there'));
      },
    });
    this.#run = run;
    worker.post({ type });
    return run.result;
  }

  #start(): CompileWorker {
    const { program = ownProgram, heapMiB } = this.#options;
    const worker: CompileWorker = new CompileWorker(this.#inputs, this.#good, {
      program,
      heapMiB,
      onTold: (told) => this.#take(told, worker),
      onEnd: (error) => {
        this.#worker = undefined;
        this.#endRun()?.reject(isOutOfMemory(error) ? this.#tooMuchMemory() : error);
      },
    });
    return worker;
  }

  #tooMuchMemory(): GivenUp {
    const { heapMiB } = this.#options;
    const limit = heapMiB === undefined ? '' : ` (${heapMiB} MiB)`;
    const tooMuch = `compiling needs more memory than there is for it${limit}; make the inputs smaller or simpler`;
    return new GivenUp(tooMuch + tellLargest(this.#read));
  }

  #take(told: Told, worker: CompileWorker): void {
    if (told.type === 'result') this.#takeResult(told.number, told.result, worker);
    else if (told.type === 'failed') this.#endRun()?.reject(errorOf(told.error));
    else if (told.type === 'read') this.#read = told.read;
    else this.#good = withChange(this.#good, told.change);
  }

  #takeResult(number: number, result: PlainResult | undefined, worker: CompileWorker): void {
    const run = this.#endRun();
    if (run === undefined) return;
    if (result === undefined || !('files' in result)) {
      run.resolve(result);
      return;
    }
    this.#longestMs = Math.max(this.#longestMs, run.ms);
    const { files, figures, ...rest } = result;
    if (figures !== undefined) this.#inputs.onFigures?.(figures);
    // Each thread counts its compilations from one: another than the one that made it knows nothing of this one.
    const beside = { keys: () => files.beside.values(), get: (name: string) => worker.text(number, name) };
    const accept = (): void => worker.post({ type: 'accept', number });
    run.resolve({ ...rest, files: this.#receiver.receive(files, beside), accept });
  }

  #endRun(): CompilationRun | undefined {
    const run = this.#run;
    this.#run = undefined;
    return run;
  }
}

function isOutOfMemory({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_WORKER_OUT_OF_MEMORY';
}
