import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { InjectionInputs } from '../../injection/settings.ts';
import type { ServingNames } from '../../live/others-objects.ts';
import type {
  AdmissionData,
  AdmissionQuestion,
  FromAdmission,
  NamespaceTexts,
  ToAdmission,
} from './admission-messages.ts';
import type { AdmissionReply } from './answer-review.ts';
import { FairQueue } from './fair-queue.ts';
import { type LookUpOptions, LookUps } from './look-ups.ts';
import type { NamespaceFollower } from './namespace-labels.ts';
import { ThreadWatch } from './thread-watch.ts';

/** The thread's program, which the build puts beside meshd's. */
const ownProgram = join(import.meta.dirname, 'meshd-admission.cjs');

export interface AdmissionThreadOptions extends AdmissionData, LookUpOptions {
  readonly program?: string;
  /** An object may keep the thread for so long; 4 s by default, as API servers wait for 5. */
  readonly longestMs?: number;
  /** An object that is only advised waits so long for others; 1 s by default, as API servers wait for 3. */
  readonly longestPutOffMs?: number;
}

/** Requests of one address that wait; an API server has fewer at once. */
const mostWaiting = 1_000;
const usualLongestMs = 4_000;
/** Objects of one address that were put off. */
const mostPutOff = 16;
const usualLongestPutOffMs = 1_000;
/**
 * The thread is given the next reviews before it has answered, so that it does not wait for this one, which may be at many
 * connections. They are few and short, as they are answered out of turn.
 */
const mostAsked = 16;
const mostAskedCharacters = 64_000;

interface PutOff extends Waiting {
  readonly sinceMs: number;
}

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
export class AdmissionThread implements NamespaceFollower {
  readonly #options: AdmissionThreadOptions;
  readonly #lookUps: LookUps;
  readonly #watched: ThreadWatch;
  readonly #queue = new FairQueue<Waiting>(mostWaiting);
  /** Objects that are only advised, for when no others wait. */
  readonly #putOff = new FairQueue<PutOff>(mostPutOff);
  #worker: Worker | undefined;
  /** What the thread is at, and what it has after that. */
  #asked: Waiting[] = [];
  #lastId = 0;
  #settings: InjectionInputs | undefined;
  readonly #namespaces = new Map<string, NamespaceTexts>();

  constructor(options: AdmissionThreadOptions) {
    this.#options = options;
    this.#lookUps = new LookUps(options);
    const { longestMs = usualLongestMs } = options;
    this.#watched = new ThreadWatch(longestMs, () => this.#failed(`an object took longer than ${longestMs} ms`));
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
    this.#tell({ settings });
  }

  /** From the next question on these are the namespaces whose labels need not be asked for. */
  knowNamespaces(all: ReadonlyMap<string, NamespaceTexts>): void {
    this.#namespaces.clear();
    for (const [name, labels] of all) this.#namespaces.set(name, labels);
    this.#tell({ namespaces: this.#namespaces });
  }

  knowNamespace(namespace: string, labels: NamespaceTexts | undefined): void {
    if (labels === undefined) this.#namespaces.delete(namespace);
    else this.#namespaces.set(namespace, labels);
    this.#tell({ namespace, labels });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#watched.stop();
    const error = new Error('meshd stops');
    for (const { reject } of [...this.#asked.splice(0), ...this.#queue.takeAll(), ...this.#putOff.takeAll()])
      reject(error);
    await worker?.terminate();
  }

  #begin(): Worker {
    const { program = ownProgram, revision, skipsGatewayApi } = this.#options;
    const worker = new Worker(program, { workerData: { revision, skipsGatewayApi } satisfies AdmissionData });
    let reason = 'it has ended';
    if (this.#settings !== undefined) post(worker, { settings: this.#settings });
    if (this.#namespaces.size > 0) post(worker, { namespaces: this.#namespaces });
    // One that took too long may still answer.
    worker.on('message', (message: FromAdmission) => this.#worker === worker && this.#take(message));
    worker.on('error', (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', () => this.#worker === worker && this.#failed(reason));
    return worker;
  }

  #tell(message: ToAdmission): void {
    if (this.#worker !== undefined) post(this.#worker, message);
  }

  #next(): void {
    while (this.#worker !== undefined && this.#hasRoom()) {
      const waiting = this.#queue.take() ?? this.#takePutOff();
      if (waiting === undefined) return;
      this.#asked.push(waiting);
      if (this.#asked.length === 1) this.#watch();
      post(this.#worker, { question: waiting.question });
    }
    if (!this.#queue.isEmpty) this.#giveUpLate();
  }

  /** One at a time, so that whatever comes next waits for no more than one. */
  #takePutOff(): Waiting | undefined {
    const isAtOne = this.#asked.some(({ question: { wasPutOff, serving } }) => wasPutOff && serving === undefined);
    return isAtOne ? undefined : this.#putOff.take();
  }

  #putOffUntilIdle(waiting: Waiting): void {
    const question = { ...waiting.question, wasPutOff: true } as const;
    const hasRoom = this.#putOff.put(waiting.from, { ...waiting, question, sinceMs: performance.now() });
    if (!hasRoom) this.#goOn(waiting, { serving: 'unknown' });
  }

  /** Those that others have kept waiting for too long are answered without having been examined, which takes no time. */
  #giveUpLate(): void {
    const { longestPutOffMs = usualLongestPutOffMs } = this.#options;
    const latestMs = performance.now() - longestPutOffMs;
    for (const waiting of this.#putOff.takeAll()) {
      if (waiting.sinceMs <= latestMs) this.#goOn(waiting, { serving: 'unknown' });
      else this.#putOff.put(waiting.from, waiting);
    }
  }

  #hasRoom(): boolean {
    const characters = this.#asked.reduce((sum, { question }) => sum + question.text.length, 0);
    return this.#asked.length < mostAsked && characters < mostAskedCharacters;
  }

  /** From now on the thread is at the first review that it has. */
  #watch(): void {
    if (this.#asked.length === 0) this.#watched.stop();
    else this.#watched.begin();
  }

  #take(message: FromAdmission): void {
    if ('refusedSettings' in message) {
      const { log } = this.#options;
      log.error('the settings of injection stay as they were', { reason: message.refusedSettings });
      return;
    }
    const [waiting] = this.#asked;
    if (waiting?.question.id !== message.id) {
      this.#failed('it answered what it was not asked');
      return;
    }
    this.#asked.shift();
    this.#watch();
    if ('reply' in message) waiting.resolve(message.reply);
    else if ('canWait' in message) this.#putOffUntilIdle(waiting);
    else if ('wants' in message) void this.#tellLabels(waiting, message.wants);
    else void this.#tellServing(waiting, message.missing);
    this.#next();
  }

  /** The thread is at others meanwhile. */
  async #tellLabels(waiting: Waiting, namespace: string): Promise<void> {
    const namespaceLabels = await this.#lookUps.labelsOf(namespace);
    if (namespaceLabels === undefined || this.#worker === undefined) {
      waiting.reject(new Error(`nothing is known of the namespace "${namespace}" yet`));
      return;
    }
    this.#askAgain(waiting, { namespaceLabels });
  }

  async #tellServing(waiting: Waiting, names: ServingNames): Promise<void> {
    const serving = await this.#lookUps.servingOf(names);
    if (this.#worker === undefined) waiting.reject(new Error('meshd stops'));
    else this.#askAgain(waiting, { serving });
  }

  #askAgain(waiting: Waiting, known: Pick<AdmissionQuestion, 'namespaceLabels' | 'serving'>): void {
    this.#goOn(waiting, known);
    this.#next();
  }

  #goOn(waiting: Waiting, known: Pick<AdmissionQuestion, 'namespaceLabels' | 'serving'>): void {
    this.#queue.putFirst(waiting.from, { ...waiting, question: { ...waiting.question, ...known } });
  }

  #failed(reason: string): void {
    const ended = this.#worker;
    this.#options.log.error('the thread that judges objects has ended, and a new one goes on', { reason });
    const [failed, ...others] = this.#asked.splice(0);
    for (const waiting of others.reverse()) this.#queue.putFirst(waiting.from, waiting);
    this.#worker = this.#begin();
    void ended?.terminate();
    failed?.reject(new Error(`the thread that judges objects has ended: ${reason}`));
    this.#watch();
    this.#next();
  }
}

function post(worker: Worker, message: ToAdmission): void {
  worker.postMessage(message);
}
