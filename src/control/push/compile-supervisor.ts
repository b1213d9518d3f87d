import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { causesText } from '../../lib/failure.ts';
import type { PlainLog } from '../../lib/log.ts';
import { plainError, type Question } from '../../live/aside/messages.ts';
import { compileThreadLimits } from '../../live/aside/thread-limits.ts';
import { withChange } from '../../live/good-change.ts';
import type { MissingRows } from '../../live/missing-rows.ts';
import type { WhyAnswer } from '../debug/answers.ts';
import type { KeySetsOfMesh } from '../keys/shared-key-sets.ts';
import type { ServedNames } from '../names/served-names.ts';
import type { RegistryFigures, RegistryRevision } from '../registry/registry.ts';
import type {
  CompileData,
  FromCompiler,
  MeshState,
  SnapshotMessage,
  ThreadData,
  ToCompiler,
} from './compile-messages.ts';
import type { CompileObserver } from './compile-observer.ts';
import type { Fleet } from './fleet.ts';
import { SnapshotReceiver } from './mesh-snapshot.ts';
import { MessageTurns } from './message-turns.ts';
import { MissingRoutes } from './missing-routes.ts';
import { ThreadQuestions } from './thread-questions.ts';
import { writeOut } from './write-out.ts';

/** The thread's program, which the build puts beside meshd's. */
const ownProgram = join(import.meta.dirname, 'meshd-compile.cjs');

export interface SupervisorOptions {
  readonly data: CompileData;
  readonly fleet: Fleet;
  readonly log: PlainLog;
  /** Keys of token issuers. They are fetched here, so a new thread has them at once. */
  readonly keySets: KeySetsOfMesh;
  readonly observer?: CompileObserver | undefined;
  /** Absent: DNS is not served. */
  readonly names?: ServedNames | undefined;
  readonly program?: string | undefined;
  /** The most that the thread's heap may grow to, in MiB; absent: as V8 decides. */
  readonly heapMiB?: number | undefined;
  /** Before the first thread that follows one that has ended; doubled from thread to thread. A second by default. */
  readonly pauseMs?: number;
}

const shortestPauseMs = 1_000;
const longestPauseMs = 60_000;

/** After so many threads in a row that end while they restore the active state, the next one starts without it. */
const mostFailedStarts = 3;

/**
 * Runs the compile thread, so that compiling delays nothing else. If the thread ends, by a fault or for lack of memory, the
 * last result is still served, and a new thread starts with the last valid versions of invalid objects.
 */
export class CompileSupervisor {
  readonly #options: SupervisorOptions;
  /** Of the thread before, until the next one tells. */
  #figures: readonly RegistryFigures[] = [];
  #revision: RegistryRevision | undefined;
  readonly #questions = new ThreadQuestions();
  #refusedInputs: { readonly at: number; readonly text: string } | undefined;
  readonly #missing = new MissingRoutes();
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs: number;
  #good: MeshState | undefined;
  #readsState = true;
  #failedStarts = 0;
  #isClosed = false;
  #isLintWanted = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#pauseMs = options.pauseMs ?? shortestPauseMs;
    options.keySets.onChange(() => this.#post(this.#worker, { type: 'keys' }));
    this.#start();
  }

  /** Of the thread that runs; for tests. */
  get worker(): Worker | undefined {
    return this.#worker;
  }

  /** What decided the configuration of a proxy; undefined: there is no such proxy. Throws where nothing compiles now. */
  why(proxy: string, name: string | undefined): Promise<WhyAnswer | undefined> {
    return this.#questions.ask((id) => this.#post(this.#worker, { type: 'why', id, proxy, name }));
  }

  /** Objects of the kind that stay though its definition is gone, go; gives how many. */
  forget(kind: string): Promise<number> {
    return this.#questions.ask((id) => this.#post(this.#worker, { type: 'forget', id, kind }));
  }

  /** Whether what lint finds is to be told in the reports. */
  lint(isWanted: boolean): void {
    this.#isLintWanted = isWanted;
    this.#post(this.#worker, { type: 'lint', isWanted });
  }

  /** The errors of the last invalid inputs, until all inputs are valid again. */
  get refusedInputs(): { readonly at: number; readonly text: string } | undefined {
    return this.#refusedInputs;
  }

  /** Destinations of the routes in force that no service has; undefined: nothing is compiled yet. */
  get missing(): MissingRows | undefined {
    return this.#missing.rows;
  }

  /** How many objects of each kind were read from the cluster; empty for files. */
  get registry(): readonly RegistryFigures[] {
    return this.#figures;
  }

  /** The commit of the objects; undefined without git, or before the first commit was read. */
  get revision(): RegistryRevision | undefined {
    return this.#revision;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const worker = this.#worker;
    if (worker === undefined) return;
    await writeOut(worker);
    await worker.terminate();
  }

  #start(): void {
    const { data, program = ownProgram, heapMiB, fleet } = this.#options;
    const workerData: ThreadData = { data, good: this.#good, readsState: this.#readsState };
    // What it ends of may be what it read; what it has in force it tells us.
    this.#readsState = false;
    const worker = new Worker(program, {
      workerData,
      resourceLimits: compileThreadLimits(heapMiB),
    });
    this.#worker = worker;
    if (this.#isLintWanted) this.lint(true);
    const receiver = new SnapshotReceiver(fleet.snapshot);
    const turns = new MessageTurns<FromCompiler>((message) => {
      if (message.type === 'snapshot') turns.later(this.#receive(message, receiver));
      else this.#take(message, worker);
    });
    worker.on('message', (message: FromCompiler) => turns.take(message));
    let reason = 'the thread that compiles has ended';
    worker.on('error', (error) => {
      reason = error instanceof Error ? causesText(error) : String(error);
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#restart(reason);
    });
  }

  #post(worker: Worker | undefined, message: ToCompiler): void {
    worker?.postMessage(message);
  }

  /** Answers the thread that has asked, not a later one. */
  async #answer(question: Question, worker: Worker): Promise<void> {
    const { keySets } = this.#options;
    try {
      if (question.name !== 'keys') throw new Error(`nobody here answers "${question.name}"`);
      await keySets.fetch(question.rules);
      const keys = question.rules.map((rule) => keySets.find(rule));
      this.#post(worker, { type: 'answer', answer: { name: 'keys', keys } });
    } catch (error) {
      this.#post(worker, { type: 'failedAnswer', error: plainError(error) });
    }
  }

  #take(message: Exclude<FromCompiler, SnapshotMessage>, worker: Worker): void {
    const { fleet, log, observer } = this.#options;
    if (message.type === 'question') {
      void this.#answer(message.question, worker);
      return;
    }
    if (message.type === 'good') {
      this.#good = withChange(this.#good, message.change);
      this.#failedStarts = 0;
      return;
    }
    if (message.type === 'refused') {
      observer?.refused?.();
      this.#refusedInputs = { at: Date.now(), text: message.text };
      log.error(`the inputs have errors; proxies that they concern keep the last valid policies\n${message.text}`);
      return;
    }
    if (message.type === 'told') {
      log[message.level](message.text);
      return;
    }
    if (message.type === 'why' || message.type === 'forgotten') {
      this.#questions.answer(message.id, message.type === 'why' ? message.answer : message.objects);
      return;
    }
    if (message.type === 'registry') {
      this.#figures = message.figures;
      this.#revision = message.revision;
      return;
    }
    if (message.type === 'figures') {
      if (message.missing !== undefined) this.#missing.take(message.missing, log);
      observer?.counted?.(message.gauges, message.rejected, message.missing?.count);
      return;
    }
    if (message.type === 'names') {
      this.#options.names?.take(message.changes);
      return;
    }
    if (message.type === 'position') {
      fleet.readTo(message.position);
      return;
    }
    if (message.type === 'reports') observer?.reported?.(message.changed, message.removed);
  }

  /** Makes views of the snapshot; what is given serves them. */
  #receive(message: SnapshotMessage, receiver: SnapshotReceiver): () => void {
    const { fleet, log, observer } = this.#options;
    if (message.isSound) this.#refusedInputs = undefined;
    const snapshot = receiver.receive(message.snapshot, this.#options.names?.viewOf);
    this.#pauseMs = this.#options.pauseMs ?? shortestPauseMs;
    const { commit, times } = message.origin;
    const milliseconds = Math.round(times.endedMs - times.beganMs);
    observer?.compiled?.(times.endedMs - times.beganMs);
    return () => {
      log.info('configuration compiled', { ...(commit && { commit }), proxies: snapshot.proxies.size, milliseconds });
      fleet.update(snapshot, message.origin);
    };
  }

  #restart(reason: string): void {
    if (this.#isClosed) return;
    // What it is to go on with may be what it ends of; without it, all that may concern a faulty object is closed.
    if (++this.#failedStarts >= mostFailedStarts) this.#good = undefined;
    const { log, observer } = this.#options;
    observer?.restarted?.();
    log.error('the thread that compiles is started again; what was served last stays', { reason });
    this.#timer = setTimeout(() => this.#start(), this.#pauseMs);
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
  }
}
