import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { InjectionInputs } from '../../injection/settings.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { AdmissionData, AdmissionQuestion, FromAdmission, ToAdmission } from './admission-messages.ts';
import type { AdmissionReply } from './answer-review.ts';
import { FairQueue } from './fair-queue.ts';

/** The thread's program, which the build puts beside meshd's. */
const ownProgram = join(import.meta.dirname, 'meshd-admission.cjs');

export interface AdmissionThreadOptions {
  readonly log: Pick<PlainLog, 'error'>;
  /** Of the control plane. */
  readonly revision: string;
  readonly program?: string;
  /** Undefined: nothing is known of the namespace. */
  readonly labelsOf: (namespace: string) => Promise<Readonly<Record<string, string>> | undefined>;
  /** An object may keep the thread for so long; 4 s by default, as API servers wait for 5. */
  readonly longestMs?: number;
}

/** Requests of one address that wait; an API server has fewer at once. */
const mostWaiting = 1_000;
const usualLongestMs = 4_000;

interface Waiting {
  /** Address that asks. */
  readonly from: string;
  readonly question: AdmissionQuestion;
  readonly resolve: (reply: AdmissionReply) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Keeps a thread that answers reviews one after the other, in turns between the addresses that ask. When it ends or takes too
 * long, the review that it was at fails, and a new thread goes on with the next.
 */
export class AdmissionThread {
  readonly #options: AdmissionThreadOptions;
  readonly #queue = new FairQueue<Waiting>(mostWaiting);
  #worker: Worker | undefined;
  /** What the thread is at. */
  #current: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #settings: InjectionInputs | undefined;

  constructor(options: AdmissionThreadOptions) {
    this.#options = options;
    this.#worker = this.#begin();
  }

  /** Throws where the thread gives no answer. */
  ask(from: string, question: Omit<AdmissionQuestion, 'id'>): Promise<AdmissionReply> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const isWaiting = this.#queue.put(from, { from, question: { ...question, id }, resolve, reject });
      if (!isWaiting) reject(new Error('too many objects of this address wait'));
      this.#next();
    });
  }

  /** From the next question on these settings of injection hold, if they are valid. */
  use(settings: InjectionInputs): void {
    this.#settings = settings;
    if (this.#worker !== undefined) post(this.#worker, { settings });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    const error = new Error('meshd stops');
    this.#end()?.reject(error);
    for (const { reject } of this.#queue.takeAll()) reject(error);
    await worker?.terminate();
  }

  #begin(): Worker {
    const { program = ownProgram, revision } = this.#options;
    const worker = new Worker(program, { workerData: { revision } satisfies AdmissionData });
    let reason = 'it has ended';
    if (this.#settings !== undefined) post(worker, { settings: this.#settings });
    worker.on('message', (message: FromAdmission) => this.#take(message));
    worker.on('error', (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', () => this.#worker === worker && this.#failed(reason));
    return worker;
  }

  #next(): void {
    if (this.#current !== undefined || this.#worker === undefined) return;
    const waiting = this.#queue.take();
    if (waiting === undefined) return;
    const { longestMs = usualLongestMs } = this.#options;
    this.#current = waiting;
    this.#timer = setTimeout(() => this.#failed(`an object took longer than ${longestMs} ms`), longestMs);
    post(this.#worker, { question: waiting.question });
  }

  #take(message: FromAdmission): void {
    if ('refusedSettings' in message) {
      const { log } = this.#options;
      log.error('the settings of injection stay as they were', { reason: message.refusedSettings });
      return;
    }
    // A thread that took too long may still have answered.
    if (this.#current?.question.id !== message.id) return;
    const waiting = this.#end();
    if ('reply' in message) waiting?.resolve(message.reply);
    else if (waiting !== undefined) void this.#tellLabels(waiting, message.wants);
    this.#next();
  }

  /** The thread is at others meanwhile. */
  async #tellLabels(waiting: Waiting, namespace: string): Promise<void> {
    const namespaceLabels = await this.#options.labelsOf(namespace);
    if (namespaceLabels === undefined || this.#worker === undefined) {
      waiting.reject(new Error(`nothing is known of the namespace "${namespace}" yet`));
      return;
    }
    this.#queue.putFirst(waiting.from, { ...waiting, question: { ...waiting.question, namespaceLabels } });
    this.#next();
  }

  #failed(reason: string): void {
    const ended = this.#worker;
    this.#options.log.error('the thread that judges objects has ended, and a new one goes on', { reason });
    const waiting = this.#end();
    this.#worker = this.#begin();
    void ended?.terminate();
    waiting?.reject(new Error(`the thread that judges objects has ended: ${reason}`));
    this.#next();
  }

  /** What the thread was at. */
  #end(): Waiting | undefined {
    clearTimeout(this.#timer);
    const waiting = this.#current;
    this.#current = undefined;
    return waiting;
  }
}

function post(worker: Worker, message: ToAdmission): void {
  worker.postMessage(message);
}
