import type { AdminClient } from '../../envoy/admin.ts';
import type { AgentState } from '../life/state.ts';
import { progressStats, whyNotInForce } from './not-in-force.ts';

/** Whether traffic may come, and why not. */
export type ReadyAnswer = { readonly isReady: true } | { readonly isReady: false; readonly reason: string };

/** Where readiness looks. */
export interface ReadinessSources {
  /** Undefined while no Envoy runs. */
  readonly admin: () => AdminClient | undefined;
  readonly state: () => AgentState;
  /** Why what Envoy is served may not be used any more, or is not there: a control plane that is away. */
  readonly configProblem?: () => string | undefined;
  /** Why there is no good workload certificate: Envoy may be waiting for one, or showing one that has expired. */
  readonly identityProblem?: () => string | undefined;
  /** Whether everything that is served now needs that certificate; asked for only where there is a problem with it. */
  readonly needsIdentity?: () => boolean;
  /** Why its worker threads do not serve, although Envoy is LIVE; a rejection tells nothing. */
  readonly blockedWorkers?: (admin: AdminClient, timeoutMs: number) => Promise<string | undefined>;
}

/** Below the second that a kubelet waits for its answer. */
const timeoutMs = 800;

/**
 * Ready when the first configuration of this start is active, Envoy is LIVE, and no stop was requested. LIVE alone is not
 * enough: an Envoy without listeners is LIVE too, and so is one whose certificate has expired, or whose worker threads are
 * blocked. A later configuration that fails does not change readiness.
 */
export class Readiness {
  readonly #admin: () => AdminClient | undefined;
  readonly #state: () => AgentState;
  readonly #configProblem: () => string | undefined;
  readonly #identityProblem: () => string | undefined;
  readonly #needsIdentity: () => boolean;
  readonly #blockedWorkers: NonNullable<ReadinessSources['blockedWorkers']>;
  #asking: Promise<ReadyAnswer> | undefined;

  constructor(sources: ReadinessSources) {
    this.#admin = sources.admin;
    this.#state = sources.state;
    this.#configProblem = sources.configProblem ?? (() => undefined);
    this.#identityProblem = sources.identityProblem ?? (() => undefined);
    this.#needsIdentity = sources.needsIdentity ?? (() => false);
    this.#blockedWorkers = sources.blockedWorkers ?? (() => Promise.resolve(undefined));
  }

  /** Asks Envoy anew each time, since a dead Envoy was ready a moment ago; who asks meanwhile gets the same answer. */
  check(): Promise<ReadyAnswer> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<ReadyAnswer> {
    const state = this.#state();
    const admin = this.#admin();
    const problem = this.#configProblem();
    if (state === 'starting' && admin !== undefined) {
      const reason = problem === undefined ? await startingReason(admin) : `the agent is starting: ${problem}`;
      return { isReady: false, reason: this.#withIdentity(reason) };
    }
    if (state !== 'running' || admin === undefined) return { isReady: false, reason: `the agent is ${state}` };
    if (problem !== undefined) return { isReady: false, reason: problem };
    try {
      const blocking = this.#blockedWorkers(admin, timeoutMs).catch(() => undefined);
      const { status, body } = await admin.get('/ready', { timeoutMs });
      const blocked = await blocking;
      // A stop may have begun while Envoy was asked.
      if (this.#state() !== state) return { isReady: false, reason: `the agent is ${this.#state()}` };
      if (status === 200 && blocked !== undefined) return { isReady: false, reason: blocked };
      return status === 200
        ? this.#judgeIdentity()
        : { isReady: false, reason: this.#withIdentity(`Envoy is ${body.trim()}`) };
    } catch (error) {
      return { isReady: false, reason: `Envoy does not answer: ${(error as Error).message}` };
    }
  }

  /** Envoy stays LIVE with a certificate that every caller refuses. */
  #judgeIdentity(): ReadyAnswer {
    const problem = this.#identityProblem();
    if (problem === undefined || !this.#needsIdentity()) return { isReady: true };
    return {
      isReady: false,
      reason: `${problem}, and every filter chain for callers needs the workload's certificate`,
    };
  }

  /** Appends the certificate problem to the reason, because Envoy does not report that it is waiting for SDS. */
  #withIdentity(reason: string): string {
    const problem = this.#identityProblem();
    return problem === undefined ? reason : `${reason}; no identity: ${problem}`;
  }
}

async function startingReason(admin: AdminClient): Promise<string> {
  try {
    const { body } = await admin.get(`/stats?filter=${encodeURIComponent(progressStats)}`, { timeoutMs });
    return `the agent is starting: ${whyNotInForce(body)}`;
  } catch {
    // Envoy opens its admin interface a moment after it was started.
    return 'the agent is starting: Envoy does not answer yet';
  }
}
