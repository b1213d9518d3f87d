import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type CompileResult, ReplacedCompilation } from '../../contracts/compile-result.ts';
import { type ReadFiles, tellLargest } from '../largest-files.ts';
import type { GoodState, ProxyInputs } from '../proxy-inputs.ts';
import {
  type Answer,
  errorOf,
  type FromThread,
  type PlainInputs,
  type PlainResult,
  plainError,
  type Question,
  type ThreadData,
  type ToThread,
  withChange,
} from './messages.ts';
import { FileReceiver } from './plain-files.ts';

/** The thread's program, which the build puts beside the agent's. */
const program = join(import.meta.dirname, 'agent-compile.cjs');

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

interface Pending {
  readonly resolve: (result: CompileResult) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout | undefined;
  readonly startedAtMs: number;
  /** No longer listens to newer inputs. */
  readonly unfollow: () => void;
}

/**
 * Compiles in a thread of its own, so that no input holds up the agent's probes, signals and certificates. What needs
 * too much time or memory is given up, and is a fault of the inputs; the next compilation gets a new thread, which knows
 * the last good inputs.
 */
export class CompileThread {
  readonly #inputs: ProxyInputs;
  readonly #options: ThreadOptions;
  #good: GoodState | undefined;
  #worker: Worker | undefined;
  #pending: Pending | undefined;
  #longestMs = 0;
  /** The compilation before was replaced: this one goes on, or constant changes would keep all from ending. */
  #mustEnd = false;
  /** Of the running compilation. */
  #read: ReadFiles | undefined;
  /** Threads that are being ended; a new one waits, or both would need memory at once. */
  #ending: Promise<unknown> = Promise.resolve();
  readonly #receiver = new FileReceiver();
  #texts = new Map<number, (text: string | undefined) => void>();
  #nextText = 0;

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
      return await this.#compile(this.#mustEnd ? undefined : replaced);
    } catch (error) {
      if (error instanceof GivenUp) return { problems: [error.message] };
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #compile(replaced: AbortSignal | undefined): Promise<CompileResult> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#mustEnd = false;
    this.#read = undefined;
    const limitMs = Math.max(this.#options.limitMs ?? shortestLimitMs, 4 * this.#longestMs);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        const seconds = Math.round(limitMs / 1000);
        const why = `compiling takes longer than ${seconds} s; make the inputs smaller or simpler`;
        this.#terminate(worker, new GivenUp(why + tellLargest(this.#read)));
      };
      const timer = this.#good === undefined ? undefined : setTimeout(giveUp, limitMs);
      const unfollow = this.#follow(worker, replaced);
      this.#pending = { resolve, reject, timer, startedAtMs: performance.now(), unfollow };
      this.#post({ type: 'compile' });
    });
  }

  /** Ends the compilation once newer inputs are there and it has had its time; gives what ends the watch. */
  #follow(worker: Worker, replaced: AbortSignal | undefined): () => void {
    if (replaced === undefined || this.#good === undefined) return () => undefined;
    const startedAtMs = performance.now();
    const allowedMs = Math.max(this.#options.replacedMs ?? shortestReplacedMs, 2 * this.#longestMs);
    let timer: NodeJS.Timeout | undefined;
    const replace = (): void => {
      this.#mustEnd = true;
      this.#terminate(worker, new ReplacedCompilation('newer inputs are there'));
    };
    const wait = (): void => {
      timer = setTimeout(replace, Math.max(0, startedAtMs + allowedMs - performance.now()));
    };
    if (replaced.aborted) wait();
    else replaced.addEventListener('abort', wait, { once: true });
    return () => {
      replaced.removeEventListener('abort', wait);
      clearTimeout(timer);
    };
  }

  #terminate(worker: Worker, error: Error): void {
    this.#end(worker, error);
    this.#ending = worker.terminate();
  }

  #start(): Worker {
    const { ownAddresses: _addresses, keySets: _keys, judgeKeys: _judge, onFigures: _figures, ...rest } = this.#inputs;
    const { onAccept: _accept, onRead: _read, maxCharacters: _max, settings, ...others } = rest;
    // A copy: the environment of the process is no ordinary object.
    const inputs: PlainInputs = { ...others, settings: { ...settings, environment: { ...settings.environment } } };
    const data: ThreadData = { inputs, good: this.#good };
    const { heapMiB } = this.#options;
    const worker = new Worker(this.#options.program ?? program, {
      workerData: data,
      ...(heapMiB !== undefined && { resourceLimits: { maxOldGenerationSizeMb: heapMiB } }),
    });
    worker.on('message', (message: FromThread) => this.#take(message));
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const limit = heapMiB === undefined ? '' : ` (${heapMiB} MiB)`;
      const tooMuch = `compiling needs more memory than there is for it${limit}; make the inputs smaller or simpler`;
      this.#end(worker, isMemory ? new GivenUp(tooMuch + tellLargest(this.#read)) : error);
    });
    worker.on('exit', () => this.#end(worker, new Error('the thread that compiles has ended')));
    return worker;
  }

  /** The thread is gone, and with it what it had to tell. */
  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const tell of this.#texts.values()) tell(undefined);
    this.#texts.clear();
    this.#settle()?.reject(error);
  }

  #take(message: FromThread): void {
    if (message.type === 'result') this.#takeResult(message.number, message.result);
    else if (message.type === 'failed') this.#settle()?.reject(errorOf(message.error));
    else if (message.type === 'question') void this.#answer(message.question);
    else if (message.type === 'read') this.#read = message.read;
    else if (message.type === 'good') this.#good = withChange(this.#good, message.change);
    else {
      this.#texts.get(message.id)?.(message.text);
      this.#texts.delete(message.id);
    }
  }

  #takeResult(number: number, result: PlainResult): void {
    const pending = this.#settle();
    const worker = this.#worker;
    if (pending === undefined || worker === undefined) return;
    if (!('files' in result)) {
      pending.resolve(result);
      return;
    }
    this.#longestMs = Math.max(this.#longestMs, performance.now() - pending.startedAtMs);
    const { files, figures, ...rest } = result;
    if (figures !== undefined) this.#inputs.onFigures?.(figures);
    const beside = { keys: () => files.beside.values(), get: (name: string) => this.#text(worker, number, name) };
    const accept = (): void => {
      if (this.#worker === worker) this.#post({ type: 'accept', number });
    };
    pending.resolve({ ...rest, files: this.#receiver.receive(files, beside), accept });
  }

  /** Each thread counts its compilations from one: another than the one that made it knows nothing of this one. */
  #text(worker: Worker, number: number, name: string): Promise<string | undefined> {
    if (this.#worker !== worker) return Promise.resolve(undefined);
    const id = this.#nextText++;
    return new Promise((resolve) => {
      this.#texts.set(id, resolve);
      this.#post({ type: 'text', id, number, name });
    });
  }

  async #answer(question: Question): Promise<void> {
    try {
      this.#post({ type: 'answer', answer: await this.#answerTo(question) });
    } catch (error) {
      this.#post({ type: 'failedAnswer', error: plainError(error) });
    }
  }

  async #answerTo(question: Question): Promise<Answer> {
    const { keySets, judgeKeys, ownAddresses } = this.#inputs;
    switch (question.name) {
      case 'judge':
        return { name: 'judge', refusal: await judgeKeys?.(question.keys) };
      case 'addresses':
        return { name: 'addresses', addresses: (await ownAddresses?.()) ?? [] };
      case 'keys':
        await keySets.fetch(question.rules);
        return { name: 'keys', keys: question.rules.map((rule) => keySets.find(rule)) };
    }
  }

  #settle(): Pending | undefined {
    const pending = this.#pending;
    clearTimeout(pending?.timer);
    pending?.unfollow();
    this.#pending = undefined;
    return pending;
  }

  #post(message: ToThread): void {
    this.#worker?.postMessage(message);
  }
}
