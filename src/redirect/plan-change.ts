import { asDesired, changeTable, type DesiredTable } from './change-table.ts';
import type { Family } from './config.ts';
import type { RedirectPlan } from './plan.ts';
import type { FilterState, RedirectState } from './read-state.ts';
import { type RedirectRule, type RoutingItem, type Table, tables } from './rule.ts';
import { isOwnChain } from './saved-rules.ts';
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
  const blocks = tableOrder(filter, desired).map((table) =>
    changeTable(table, filter.tables.get(table) ?? new Map(), desired.tableOf(filter, table)),
  );
  const text = blocks.join('');
  return text === '' ? [] : [restoreStep(filter.backend.restore, text, lockWaitSeconds)];
}

/** Where inbound connections move from mangle to nat, nat must take them before mangle lets go. */
function tableOrder(filter: FilterState, desired: DesiredState): readonly Table[] {
  const before = [...(filter.tables.get('mangle')?.keys() ?? [])].some((chain) => isOwnChain('mangle', chain));
  const after = desired.tableOf(filter, 'mangle').chains.length > 0;
  return before && !after ? [...tables].reverse() : tables;
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
