import type { RedirectPlan } from './plan.ts';

/** What a change of the rules touches of its process. */
export interface ChangeOptions {
  /** Takes each command line before it runs, and what was found. */
  readonly say?: (line: string) => void;
  /** Longest wait for the lock of another packet-filter command, in seconds. */
  readonly lockWaitSeconds?: number;
  /** Fires when the change is to be given up: what was done is taken back. */
  readonly stop?: AbortSignal;
}

/** `in place`: every rule was there already, nothing was changed. */
export type ApplyOutcome = 'in place' | 'applied' | 'replaced';

/**
 * Makes the network namespace of this process what the plan says; what an earlier plan made is replaced table by table.
 * Throws a RedirectError after taking back what was done.
 */
export async function applyRedirect(plan: RedirectPlan, options: ChangeOptions = {}): Promise<ApplyOutcome> {
  throw new Error(`not written: ${plan.routing.length} ${options.lockWaitSeconds}`);
}
