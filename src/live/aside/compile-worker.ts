import { Worker } from 'node:worker_threads';
import type { GoodState, ProxyInputs } from '../proxy-inputs.ts';
import {
  type Answer,
  type FromThread,
  type PlainInputs,
  plainError,
  type Question,
  type ThreadData,
  type ToThread,
} from './messages.ts';
import { compileThreadLimits } from './thread-limits.ts';

/** What a thread tells beside questions and texts. */
export type Told = Exclude<FromThread, { readonly type: 'question' | 'text' }>;

export interface WorkerOptions {
  /** Path of the thread's program. */
  readonly program: string;
  /** The most that the thread's heap may grow to, in MiB; absent: as V8 decides. */
  readonly heapMiB?: number | undefined;
  /** After the end only the last valid inputs are told of. */
  readonly onTold: (told: Told) => void;
  /** Called once, with the reason: that of `end`, the thread's own error, or that it has ended. */
  readonly onEnd: (error: Error) => void;
}

/**
 * One thread from its start to its end, with what it asks of this one and the texts that this one asks of it. Everything
 * is bound to the one thread: an answer that comes after its end goes to no later one.
 */
export class CompileWorker {
  readonly #inputs: ProxyInputs;
  readonly #options: WorkerOptions;
  readonly #worker: Worker;
  readonly #texts = new Map<number, (text: string | undefined) => void>();
  #nextText = 0;
  #hasEnded = false;

  constructor(inputs: ProxyInputs, good: GoodState | undefined, options: WorkerOptions) {
    this.#inputs = inputs;
    this.#options = options;
    const { program, heapMiB } = options;
    const data: ThreadData = { inputs: plainInputs(inputs), good };
    this.#worker = new Worker(program, {
      workerData: data,
      resourceLimits: compileThreadLimits(heapMiB),
    });
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    this.#worker.on('error', (error) => this.#close(error));
    this.#worker.on('exit', () => this.#close(new Error('the thread that compiles has ended')));
  }

  post(message: ToThread): void {
    if (!this.#hasEnded) this.#worker.postMessage(message);
  }

  /** A text that stands beside the files of the compilation `number`; undefined where the thread is gone. */
  text(number: number, name: string): Promise<string | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    const id = this.#nextText++;
    return new Promise((resolve) => {
      this.#texts.set(id, resolve);
      this.post({ type: 'text', id, number, name });
    });
  }

  /** Resolves when the thread's memory is free again. */
  async end(error: Error): Promise<void> {
    this.#close(error);
    await this.#worker.terminate();
  }

  #close(error: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const tell of this.#texts.values()) tell(undefined);
    this.#texts.clear();
    this.#options.onEnd(error);
  }

  #take(message: FromThread): void {
    if (this.#hasEnded && message.type !== 'good') return;
    if (message.type === 'question') void this.#answer(message.question);
    else if (message.type === 'text') {
      this.#texts.get(message.id)?.(message.text);
      this.#texts.delete(message.id);
    } else this.#options.onTold(message);
  }

  async #answer(question: Question): Promise<void> {
    try {
      this.post({ type: 'answer', answer: await this.#answerTo(question) });
    } catch (error) {
      this.post({ type: 'failedAnswer', error: plainError(error) });
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
}

/** The inputs without the functions, which are asked for by message. */
function plainInputs(all: ProxyInputs): PlainInputs {
  const { ownAddresses: _addresses, keySets: _keys, judgeKeys: _judge, onFigures: _figures, ...rest } = all;
  const { onAccept: _accept, onRead: _read, maxCharacters: _max, settings, ...others } = rest;
  // A copy: the environment of the process is no ordinary object.
  return { ...others, settings: { ...settings, environment: { ...settings.environment } } };
}
