import type { AdminClient } from '../../envoy/admin.ts';
import type { AgentState } from '../life/state.ts';

/** Whether traffic may come, and why not. */
export type ReadyAnswer = { readonly isReady: true } | { readonly isReady: false; readonly reason: string };

/**
 * Ready once this start's first configuration is in force, for as long as Envoy is LIVE and nobody asked to stop. LIVE
 * alone does not count: an Envoy without any listener is LIVE too. A later configuration that fails does not count either.
 */
export class Readiness {
  readonly #admin: () => AdminClient | undefined;
  readonly #state: () => AgentState;

  constructor(admin: () => AdminClient | undefined, state: () => AgentState) {
    this.#admin = admin;
    this.#state = state;
  }

  /** Asks Envoy anew each time: a dead Envoy was ready a moment ago. */
  async check(): Promise<ReadyAnswer> {
    const state = this.#state();
    const admin = this.#admin();
    if (state !== 'running' || admin === undefined) return { isReady: false, reason: `the agent is ${state}` };
    try {
      const { status, body } = await admin.get('/ready', { timeoutMs: 1_000 });
      return status === 200 ? { isReady: true } : { isReady: false, reason: `Envoy is ${body.trim()}` };
    } catch (error) {
      return { isReady: false, reason: `Envoy does not answer: ${(error as Error).message}` };
    }
  }
}
