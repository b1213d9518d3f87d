import type { Clock } from '../lib/clock.ts';
import type { OutgoingObserver } from '../lib/outgoing-observer.ts';
import { AuthorityError } from './authority.ts';
import { RenewalReport, type RenewalTrouble } from './renewal-report.ts';
import { attemptMs, backoffMs, gravityOf, type Issued, type Moment, sleepMs, untilRenewalMs } from './rotation.ts';
import type { SecretSnapshot } from './snapshot.ts';

/** One attempt to get a certificate. Throws `AuthorityError`. */
export type RequestIdentity = (attempt: {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}) => Promise<SecretSnapshot>;

/** Who hears of the certificate. */
export interface KeeperObserver {
  /** A new certificate is good, the first one too. */
  readonly onSnapshot: (snapshot: SecretSnapshot) => void;
  /** It could not be obtained or renewed; called for a new reason, a higher level, and once a minute. */
  readonly onTrouble: (trouble: RenewalTrouble) => void;
}

export interface KeeperOptions {
  readonly request: RequestIdentity;
  readonly graceRatio: number;
  readonly checkIntervalMs: number;
  readonly initialBackoffMs: number;
  readonly clock: Clock;
  readonly observer: KeeperObserver;
  readonly outgoing?: OutgoingObserver;
}

/** After this long a request counts as failed, and the next attempt as another request; as in Istio. */
const giveUpMs = 10_000;

/**
 * Gets a certificate and renews it for ever, whether somebody asks for it or not. The old one stays in force until a new
 * one is good; nothing is ever taken away.
 */
export class CertificateKeeper {
  readonly #options: KeeperOptions;
  readonly #report: RenewalReport;
  readonly #end = new AbortController();
  /** Ends the sleep that is under way. */
  #wake = new AbortController();
  #isAskedFor = false;
  #issued: Issued | undefined;
  #problem: string | undefined = 'the certificate authority has not answered yet';
  #running: Promise<void> | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#report = new RenewalReport(options.observer.onTrouble);
  }

  /** Returns at once; the first attempt is under way. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Renews now, however long the certificate in force still has; after the request that is under way, if there is one. */
  renew(): void {
    this.#isAskedFor = true;
    this.#wake.abort();
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#wake.abort();
    await this.#running;
  }

  /** When the certificate in force ends, milliseconds since the epoch; undefined while there is none. */
  get notAfterMs(): number | undefined {
    return this.#issued?.notAfterMs;
  }

  /** Why there is no good certificate now; undefined when there is one. */
  get problem(): string | undefined {
    if (this.#issued === undefined) return this.#problem;
    const { notAfterMs } = this.#issued;
    if (this.#now().wallMs <= notAfterMs) return undefined;
    return `the certificate expired at ${new Date(notAfterMs).toISOString()}: ${this.#problem ?? 'it is being renewed'}`;
  }

  async #run(): Promise<void> {
    const { clock, graceRatio, checkIntervalMs, initialBackoffMs } = this.#options;
    const { signal } = this.#end;
    let restUntilMs = -Infinity;
    while (!signal.aborted) {
      const untilMs =
        this.#issued === undefined || this.#isAskedFor ? 0 : untilRenewalMs(this.#issued, graceRatio, this.#now());
      const restMs = restUntilMs - clock.monotonicMs();
      if (untilMs > 0 || restMs > 0) {
        this.#wake = new AbortController();
        await clock.sleep(sleepMs(Math.max(untilMs, restMs), checkIntervalMs), this.#wake.signal);
        continue;
      }
      await clock.sleep(clock.random() * initialBackoffMs, signal);
      if (signal.aborted) break;
      this.#isAskedFor = false;
      const isDone = await this.#renew();
      // At least a moment between two certificates; longer after a request that would be refused again.
      restUntilMs = clock.monotonicMs() + (isDone ? 1_000 : checkIntervalMs);
    }
  }

  /** True when there is a new certificate, false when asking again is of no use for now. */
  async #renew(): Promise<boolean> {
    const { clock, request } = this.#options;
    const { signal } = this.#end;
    let logical = this.#begin();
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const snapshot = await request({ deadlineMs: attemptMs(this.#leftMs()), signal });
        this.#take(snapshot);
        logical.done();
        return true;
      } catch (error) {
        if (!(error instanceof AuthorityError)) throw error;
        if (signal.aborted) break;
        const isFinal = error.remedy === 'none';
        const waitMs = isFinal
          ? this.#options.checkIntervalMs
          : backoffMs(error.remedy, attempt, this.#leftMs(), clock.random());
        this.#tell(error, waitMs);
        if (isFinal) {
          logical.failed();
          return false;
        }
        await clock.sleep(waitMs, signal);
        if (signal.aborted) break;
        if (logical.isOver()) {
          logical.failed();
          logical = this.#begin();
        } else this.#options.outgoing?.retried?.('csr');
      }
    }
    logical.failed();
    return false;
  }

  /** What counts as one request to whoever counts. */
  #begin() {
    const { clock, outgoing } = this.#options;
    const startedAtMs = clock.monotonicMs();
    const elapsedMs = (): number => clock.monotonicMs() - startedAtMs;
    outgoing?.requested?.('csr');
    return {
      isOver: () => elapsedMs() >= giveUpMs,
      done: () => outgoing?.finished?.('csr', elapsedMs()),
      failed: () => {
        outgoing?.failed?.('csr');
        outgoing?.finished?.('csr', elapsedMs());
      },
    };
  }

  #take(snapshot: SecretSnapshot): void {
    const { clock, observer } = this.#options;
    const { wallMs, monotonicMs } = this.#now();
    this.#issued = {
      notAfterMs: snapshot.notAfterMs,
      issuedAtMs: wallMs,
      issuedAtMonotonicMs: monotonicMs,
      jitter: (clock.random() * 2 - 1) / 100,
    };
    this.#problem = undefined;
    this.#report.succeeded();
    observer.onSnapshot(snapshot);
  }

  #tell(error: AuthorityError, nextAttemptMs: number): void {
    const { clock, graceRatio } = this.#options;
    this.#problem = error.message;
    const gravity = gravityOf(this.#issued, graceRatio, this.#now());
    this.#report.failed({ gravity, message: error.message, nextAttemptMs }, clock.monotonicMs());
  }

  #leftMs(): number | undefined {
    return this.#issued === undefined ? undefined : this.#issued.notAfterMs - this.#now().wallMs;
  }

  #now(): Moment {
    const { clock } = this.#options;
    return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
  }
}
