import { asDesired, changeTable, type DesiredTable } from './change-table.ts';
import type { Family } from './config.ts';
import { handOverRule } from './hand-over.ts';
import type { RedirectPlan } from './plan.ts';
import type { FilterState, RedirectState } from './read-state.ts';
import { type RedirectRule, type RoutingItem, type Table, tables } from './rule.ts';
import { isOwnChain, type SavedTable } from './saved-rules.ts';
import { restoreStep, routingStep, type Step } from './step.ts';

/** What is to be ours in a network namespace. */
export interface DesiredState {
  tableOf(filter: FilterState, table: Table): DesiredTable;
  readonly routing: readonly RoutingItem[];
}

const nothing: DesiredTable = { chains: [], rules: [] };

/** A plan as the state to reach: its rules in the chosen filter of each family, none of ours elsewhere. */
export function desiredByPlan({ rules, routing }: RedirectPlan): DesiredState {
  return {
    tableOf: ({ backend, isChosen }, table) =>
      isChosen ? tableOfRules(table, rules.get(backend.family) ?? []) : nothing,
    routing,
  };
}

/** Nothing of ours, but for chains that others hold. */
export const desiredNothing: DesiredState = { tableOf: () => nothing, routing: [] };

/** The state that was read, to go back to it. */
export function desiredByState(state: RedirectState): DesiredState {
  const key = ({ backend }: FilterState): string => `${backend.family} ${backend.variant}`;
  const before = new Map(state.filters.map((filter) => [key(filter), filter]));
  return {
    tableOf: (filter, table) => asDesired(table, before.get(key(filter))?.tables.get(table) ?? new Map()),
    routing: state.routing.own,
  };
}

/**
 * The commands that lead from one state to another, none when nothing differs. Routing that marked packets need is there
 * before the rules that mark them, and goes after them; what diverts is replaced before what no longer diverts goes.
 */
export function planChange(state: RedirectState, desired: DesiredState, lockWaitSeconds: number): Step[] {
  const { own, others } = state.routing;
  const missing = desired.routing.filter((item) => ![...own, ...others].some((other) => isSame(item, other)));
  const stale = own.filter((item) => !desired.routing.some((other) => isSame(item, other)));
  const filters = [...state.filters].sort((a, b) => Number(b.isChosen) - Number(a.isChosen));
  return [
    ...missing.map((item) => routingStep('add', item)),
    ...filters.flatMap((filter) => restoreSteps(filter, desired, lockWaitSeconds)),
    ...stale.reverse().map((item) => routingStep('del', item)),
  ];
}

function restoreSteps(filter: FilterState, desired: DesiredState, lockWaitSeconds: number): Step[] {
  const text = filterBlocks(filter, desired).join('');
  return text === '' ? [] : [restoreStep(filter.backend.restore, text, lockWaitSeconds)];
}

/** One transaction each. Where inbound connections move between tables, one must take them before the other lets go. */
function filterBlocks(filter: FilterState, desired: DesiredState): string[] {
  const before = { mangle: savedOf(filter, 'mangle'), nat: savedOf(filter, 'nat') };
  const after = { mangle: desired.tableOf(filter, 'mangle'), nat: desired.tableOf(filter, 'nat') };
  const change = (table: Table, to: DesiredTable = after[table]): string => changeTable(table, before[table], to);
  const handOver = handOverRule(before, after);
  const hasMangle = [...before.mangle.keys()].some((chain) => isOwnChain('mangle', chain));
  if (hasMangle && after.mangle.chains.length === 0) {
    if (handOver === undefined) return [change('nat'), change('mangle')];
    const both = { ...after.nat, rules: [...after.nat.rules, handOver] };
    return [change('nat', both), change('mangle'), natBlock(`-D ${handOver.chain} ${handOver.args.join(' ')}`)];
  }
  const first = handOver && natBlock(`-I ${handOver.chain} ${handOver.at} ${handOver.args.join(' ')}`);
  return [first ?? '', ...tables.map((table) => change(table))];
}

function savedOf(filter: FilterState, table: Table): SavedTable {
  return filter.tables.get(table) ?? new Map();
}

function natBlock(line: string): string {
  return `*nat\n${line}\nCOMMIT\n`;
}

function tableOfRules(table: Table, rules: readonly RedirectRule[]): DesiredTable {
  const own = rules.filter((rule) => rule.table === table);
  const chains = new Set(own.map(({ chain }) => chain).filter((chain) => isOwnChain(table, chain)));
  return { chains: [...chains], rules: own };
}

/** Rules of a family by table, as they go into an empty network namespace. */
export function emptyFilter(family: Family, backend: FilterState['backend']): FilterState {
  return { backend: { ...backend, family }, tables: new Map(), isChosen: true };
}

function isSame(a: RoutingItem, b: RoutingItem): boolean {
  return routingStep('add', a).argv.join(' ') === routingStep('add', b).argv.join(' ');
}
