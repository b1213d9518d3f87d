import type { ApiRequest, KubernetesApi } from '../../kubernetes/api.ts';
import type { Term } from '../../kubernetes/election.ts';
import { ApiRefusal, KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import type { ApiObject } from '../../kubernetes/resource-type.ts';
import { delay } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import { standardGroup } from '../../policy/gateway-api.ts';
import type { StatusConfig } from '../registry/open-registry.ts';
import { type ConditionWords, conditionsOf } from './condition.ts';
import { desiredConditions, isUnsettled, type Reach } from './desired-conditions.ts';
import { standardRequest } from './gateway-api/standard-request.ts';
import type { ObjectReport } from './object-report.ts';
import type { StatusBook } from './status-book.ts';
import { statusRequest } from './status-request.ts';

/** Tells which proxies have the versions of objects. */
export interface ReachSource {
  /** Looks again; whether something differs from the last look. */
  refresh(): Promise<boolean>;
  of(key: string): Reach;
}

export interface StatusWriterOptions {
  readonly api: Pick<KubernetesApi, 'ask'>;
  readonly book: StatusBook;
  readonly config: StatusConfig;
  /** Undefined: nobody tracks who has what. */
  readonly reach: ReachSource | undefined;
  readonly log: PlainLog;
  readonly count: (isDone: boolean) => void;
}

/** Changes within it are one write. */
const lookEveryMs = 500;
/** While proxies take a version, the status of its object is written no more often. */
const progressEveryMs = 2_000;
/** Writes that wait for an answer together. */
const atOnce = 8;
const unreachableMs = 5_000;
const tellEveryMs = 60_000;
const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

/** `tooFast`: the rate allows no more writes now. `unreachable`: nobody answers, so that the other writes need not be tried now. */
type LookEnd = 'done' | 'tooFast' | 'unreachable';

/** A write that is tried again later. */
interface Failure {
  readonly pauseMs: number;
  readonly untilMs: number;
}

/**
 * Writes the status of objects if it differs from the desired one, within the allowed rate. The content of a write is decided
 * when it is sent, so no write carries outdated facts. Objects take turns in the order in which they changed. A failed write
 * is repeated after its own growing pause; nothing else waits for it.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #bucket: TokenBuckets;
  /** Objects to look at: something of them is new, or a write has failed. */
  readonly #due = new Set<string>();
  /** Objects to look at when proxies have acknowledged something. */
  readonly #unsettled = new Set<string>();
  readonly #failures = new Map<string, Failure>();
  readonly #progressMs = new Map<string, number>();
  /** Of the look that is in progress. */
  #reasons: string[] = [];
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#bucket = new TokenBuckets(options.config.rate);
  }

  /** Writes as long as the term lasts. */
  async run(term: Term): Promise<void> {
    const { book, reach } = this.#options;
    for (const known of [this.#due, this.#unsettled, this.#failures, this.#progressMs]) known.clear();
    for (const path of book.paths) this.#due.add(path);
    while (term.holds) {
      for (const path of book.takeChanged()) {
        this.#due.add(path);
        this.#failures.delete(path);
      }
      if (await reach?.refresh()) for (const path of this.#unsettled) this.#due.add(path);
      const end = await this.#lookAtDue(term);
      this.#tell();
      await delay(this.#pauseAfter(end), term.signal);
    }
  }

  /** Once in a while: what fails is tried for as long as it takes. */
  #tell(): void {
    const [reason] = this.#reasons;
    const nowMs = performance.now();
    if (reason === undefined || nowMs - this.#toldMs < tellEveryMs) return;
    this.#toldMs = nowMs;
    const fields = { objects: this.#failures.size, reason };
    this.#options.log.warn('the status of objects cannot be written now; it is tried again', fields);
  }

  #pauseAfter(end: LookEnd): number {
    if (end === 'unreachable') return unreachableMs;
    return end === 'done' ? lookEveryMs : Math.min(lookEveryMs, this.#bucket.waitMs('', performance.now()));
  }

  async #lookAtDue(term: Term): Promise<LookEnd> {
    this.#reasons = [];
    const paths = [...this.#due].values();
    const ends = new Set<LookEnd>();
    const writeNext = async (): Promise<void> => {
      for (const path of paths) {
        if (!term.holds || ends.has('unreachable') || ends.has('tooFast')) return;
        ends.add(await this.#write(path, term));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, writeNext));
    return (['unreachable', 'tooFast'] as const).find((end) => ends.has(end)) ?? 'done';
  }

  async #write(path: string, term: Term): Promise<LookEnd> {
    const report = this.#options.book.get(path);
    const words = report && this.#wordsOf(report);
    if (report === undefined || words === undefined) {
      // It is looked at again when there is something new of it.
      for (const known of [this.#due, this.#unsettled, this.#failures, this.#progressMs]) known.delete(path);
      return 'done';
    }
    if ((this.#failures.get(path)?.untilMs ?? 0) > performance.now()) return 'done';
    if (isUnsettled(words)) this.#unsettled.add(path);
    else this.#unsettled.delete(path);
    const standard = report.verdict?.standard;
    const request =
      standard === undefined ? statusRequest(report, words, new Date()) : standardRequest(report, standard, new Date());
    if (request !== undefined) {
      const nowMs = performance.now();
      const isProgress = words.some(({ reason }) => reason === 'InProgress');
      if (isProgress && nowMs - (this.#progressMs.get(path) ?? Number.NEGATIVE_INFINITY) < progressEveryMs)
        return 'done';
      if (!this.#bucket.take('', nowMs)) return 'tooFast';
      if (isProgress) this.#progressMs.set(path, nowMs);
    }
    this.#due.delete(path);
    return request === undefined ? 'done' : this.#send(request, report, term);
  }

  /** Undefined: nothing is written of it now. The status of an object of the Gateway API says nothing of proxies that change. */
  #wordsOf(report: ObjectReport): readonly ConditionWords[] | undefined {
    if (report.type.group !== standardGroup) return desiredConditions(report, this.#options);
    return report.verdict?.standard && [];
  }

  async #send(request: ApiRequest, report: ObjectReport, term: Term): Promise<LookEnd> {
    const { book, api, count } = this.#options;
    try {
      const { metadata, status } = await api.ask<ApiObject>({ ...request, signal: term.signal });
      const { resourceVersion: revision = report.revision } = metadata;
      // What the watch tells of it later is the same, unless somebody else wrote meanwhile.
      if (book.get(report.path) === report)
        book.amend({ ...report, revision, conditions: conditionsOf(status), status });
      this.#failures.delete(report.path);
      count(true);
      return 'done';
    } catch (error) {
      if (term.signal.aborted) return 'done';
      if (!(error instanceof KubernetesError)) throw error;
      this.#failed(report.path, error);
      count(false);
      return error instanceof ApiRefusal ? 'done' : 'unreachable';
    }
  }

  #failed(path: string, error: KubernetesError): void {
    this.#reasons.push(error.message);
    const { pauseMs: beforeMs = firstPauseMs / 2 } = this.#failures.get(path) ?? {};
    const wantedMs = error instanceof ApiRefusal ? (error.retryAfterMs ?? 0) : 0;
    const pauseMs = Math.min(Math.max(2 * beforeMs, wantedMs), longestPauseMs);
    const untilMs = performance.now() + pauseMs * (0.5 + Math.random() / 2);
    this.#failures.set(path, { pauseMs, untilMs });
    this.#due.add(path);
  }
}
