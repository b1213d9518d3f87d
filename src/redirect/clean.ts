import { type ChangeOptions, changeState, usualLockWaitSeconds } from './apply.ts';
import { usualBackend } from './backend.ts';
import { withLock } from './lock.ts';
import { planRouting } from './plan.ts';
import { desiredNothing, emptyFilter, planChange } from './plan-change.ts';
import { type FilterState, type RedirectState, readState } from './read-state.ts';
import { ownChains, type Table, tables } from './rule.ts';
import { heldChains, isOwnChain, placedRules, type SavedTable } from './saved-rules.ts';
import { describeRouting, type Step } from './step.ts';

/** What clean-up did. */
export interface CleanOutcome {
  /** What was there and is gone, one line each, for people. */
  readonly removed: readonly string[];
  /** What is ours and had to stay, with the reason. */
  readonly left: readonly string[];
}

/** Removes from the network namespace of this process what `applyRedirect` made, and nothing else. */
export async function cleanRedirect(options: ChangeOptions = {}): Promise<CleanOutcome> {
  const { lockWaitSeconds = usualLockWaitSeconds, stop } = options;
  return withLock(
    lockWaitSeconds,
    async () => {
      const before = await changeState(desiredNothing, () => readState(['IPv4']), options);
      const after = await readState(['IPv4']);
      return { removed: before === undefined ? [] : describeState(before), left: describeLeft(after) };
    },
    stop,
  );
}

/** One line for each table and each part of the routing that holds something of ours. */
function describeState({ filters, routing }: RedirectState): string[] {
  const lines = filters.flatMap(({ backend, tables: saved }) =>
    tables.flatMap((table) => {
      const chains = [...(saved.get(table)?.keys() ?? [])].filter((chain) => isOwnChain(table, chain));
      const placed = placedRules(table, saved.get(table) ?? new Map());
      if (chains.length + placed.length === 0) return [];
      const places = [...new Set(placed.map(({ chain }) => chain))].join(', ');
      const rules = placed.length === 0 ? '' : `; ${count(placed.length, 'rule')} in ${places}`;
      const names = chains.length === 0 ? 'no chain' : `${count(chains.length, 'chain')} (${chains.join(', ')})`;
      return [`${backend.family} ${table} (${backend.variant}): ${names}${rules}`];
    }),
  );
  return [...lines, ...routing.own.map(describeRouting)];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** What is still there, and who holds it. */
function describeLeft({ filters }: RedirectState): string[] {
  return filters.flatMap(({ backend, tables: saved }) =>
    tables.flatMap((table) =>
      [...heldChains(table, saved.get(table) ?? new Map())].map(
        ([chain, by]) => `${backend.family} ${table}: chain ${chain}, which the chain ${by} jumps to`,
      ),
    ),
  );
}

/**
 * The commands that clean-up would run where everything is that set-up can make, TPROXY's routing with its usual mark and
 * table: what a dry run shows, since it asks nothing of the system.
 */
export function planFullCleanup(lockWaitSeconds: number = usualLockWaitSeconds): Step[] {
  const families = ['IPv4', 'IPv6'] as const;
  const filters = families.map((family): FilterState => {
    const filter = emptyFilter(family, usualBackend(family));
    return { ...filter, tables: new Map(tables.map((table) => [table, everyChain(table)])) };
  });
  const own = planRouting({ mode: 'TPROXY', families, tproxyMark: 1337, tproxyTable: 133 });
  return planChange({ filters, routing: { own, others: [] } }, desiredNothing, lockWaitSeconds);
}

function everyChain(table: Table): SavedTable {
  return new Map(ownChains[table].map((chain) => [chain, { isBuiltIn: false, rules: [] }]));
}
