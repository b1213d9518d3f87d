import { usualBackend } from './backend.ts';
import { explainFailure } from './explain-failure.ts';
import { withLock } from './lock.ts';
import type { RedirectPlan } from './plan.ts';
import { type DesiredState, desiredByPlan, desiredByState, emptyFilter, planChange } from './plan-change.ts';
import { type RedirectState, readState } from './read-state.ts';
import { RedirectError } from './redirect-error.ts';
import { type Table, tables } from './rule.ts';
import { runCommand } from './run-command.ts';
import { isOwnChain, isOwnRule, placedRules, type SavedTable } from './saved-rules.ts';
import { formatStep, type Step } from './step.ts';

/** What a change of the rules touches of its process. */
export interface ChangeOptions {
  /** Takes each command, as a shell takes it, before it runs; and what was found. */
  readonly say?: (text: string) => void;
  /** Takes what may keep the rules from doing their work. */
  readonly warn?: (text: string) => void;
  /** Longest wait for the lock of another packet-filter command, in seconds. */
  readonly lockWaitSeconds?: number;
  /** Fires when the change is to be given up: what was done is taken back. */
  readonly stop?: AbortSignal;
}

/** `in place`: every rule was there already, nothing was changed. */
export type ApplyOutcome = 'in place' | 'applied' | 'replaced';

export const usualLockWaitSeconds = 30;

/** How often a change is planned anew because somebody else has changed the rules since they were read. */
const attempts = 5;

/**
 * Makes the network namespace of this process what the plan says; what an earlier plan made is replaced table by table.
 * Throws a RedirectError after taking back what was done.
 */
export async function applyRedirect(plan: RedirectPlan, options: ChangeOptions = {}): Promise<ApplyOutcome> {
  const { lockWaitSeconds = usualLockWaitSeconds, stop } = options;
  return withLock(lockWaitSeconds, () => applyAlone(plan, options), stop);
}

async function applyAlone(plan: RedirectPlan, options: ChangeOptions): Promise<ApplyOutcome> {
  const families = [...plan.rules.keys()];
  const desired = desiredByPlan(plan);
  const before = await changeState(desired, () => readState(families), options);
  const now = await readState(families);
  for (const line of overtakingRules(now)) options.warn?.(line);
  if (before === undefined) return 'in place';
  const missing = planChange(now, desired, usualLockWaitSeconds);
  if (missing.length > 0) {
    const first = missing[0]?.argv.join(' ');
    throw new RedirectError(
      'iptables-failed',
      `the rules are not what was applied: "${first}" would still change them`,
    );
  }
  const hadRules =
    planChange(before, desiredByPlan({ rules: new Map(), routing: [] }), usualLockWaitSeconds).length > 0;
  return hadRules ? 'replaced' : 'applied';
}

/** Rules of others that see a connection before ours do: what they accept or lead elsewhere is not captured. */
function overtakingRules({ filters }: RedirectState): string[] {
  return filters.flatMap(({ backend, tables: saved }) =>
    tables.flatMap((table) =>
      placedRules(table, saved.get(table) ?? new Map())
        .filter(({ chain, position }, i, all) => position > 1 && all.findIndex((rule) => rule.chain === chain) === i)
        .map(({ chain, position }) => `${backend.family} ${table} ${chain}: ${position - 1} of others before ours`),
    ),
  );
}

/** The commands that a plan needs in a network namespace that has nothing of ours, on a machine without special cases. */
export function planSteps(plan: RedirectPlan, lockWaitSeconds = usualLockWaitSeconds): Step[] {
  const filters = [...plan.rules.keys()].map((family) => emptyFilter(family, usualBackend(family)));
  return planChange({ filters, routing: { own: [], others: [] } }, desiredByPlan(plan), lockWaitSeconds);
}

/**
 * Leads the network namespace to the desired state, all of it or nothing. Returns the state that was there before, or
 * undefined when nothing had to be changed.
 */
export async function changeState(
  desired: DesiredState,
  read: () => Promise<RedirectState>,
  options: ChangeOptions,
): Promise<RedirectState | undefined> {
  const { say = () => undefined, lockWaitSeconds = usualLockWaitSeconds, stop } = options;
  for (let attempt = 1; ; attempt += 1) {
    const before = await read();
    const steps = planChange(before, desired, lockWaitSeconds);
    if (steps.length === 0) return undefined;
    try {
      for (const step of steps) await runStep(step, { say, stop, lockWaitSeconds });
      return before;
    } catch (error) {
      const isOvertaken = await takeBack(before, read, { say, lockWaitSeconds }, error);
      if (!isOvertaken || attempt === attempts || stop?.aborted) throw error;
      say('somebody else has changed the rules: planning anew\n');
    }
  }
}

interface StepOptions {
  readonly say: (text: string) => void;
  readonly stop?: AbortSignal | undefined;
  readonly lockWaitSeconds: number;
}

async function runStep(step: Step, { say, stop, lockWaitSeconds }: StepOptions): Promise<void> {
  if (stop?.aborted) throw interrupted();
  say(formatStep(step));
  const result = await runCommand(step, { stop, timeoutMs: (lockWaitSeconds + 20) * 1000 });
  if (stop?.aborted) throw interrupted();
  if (result.exitCode !== 0) throw explainFailure(step, result);
}

function interrupted(): RedirectError {
  return new RedirectError('redirect-interrupted', 'stopped before all rules were in place; nothing was changed');
}

/** Goes back to the state before a failure. Returns whether somebody else had changed the rules in between. */
async function takeBack(
  before: RedirectState,
  read: () => Promise<RedirectState>,
  options: StepOptions,
  failure: unknown,
): Promise<boolean> {
  try {
    const now = await read();
    for (const step of planChange(now, desiredByState(before), options.lockWaitSeconds)) await runStep(step, options);
    return foreignRules(now) !== foreignRules(before);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = failure instanceof Error ? failure.message : String(failure);
    throw new RedirectError('iptables-failed', `${message}; and it could not be taken back: ${reason}`, { cause });
  }
}

/** Rules of others: in built-in chains and in chains of their own. */
function foreignRules({ filters }: RedirectState): string {
  return filters.map(({ backend, tables }) => [backend.restore, ...[...tables].map(foreignPart)].join('\n')).join('\n');
}

function foreignPart([table, chains]: readonly [Table, SavedTable]): string {
  const foreign = [...chains].filter(([chain]) => !isOwnChain(table, chain));
  const rules = foreign.flatMap(([chain, { rules: all }]) =>
    all.filter((rule) => !isOwnRule(table, chain, rule)).map((rule) => `${chain} ${rule}`),
  );
  return [table, ...rules].join('\n');
}
