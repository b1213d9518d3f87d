import { type Backend, findBackends, hasLegacyTables } from './backend.ts';
import type { Family } from './config.ts';
import { explainFailure } from './explain-failure.ts';
import { type RoutingState, readRouting } from './read-routing.ts';
import type { Table } from './rule.ts';
import { runCommand } from './run-command.ts';
import { isOwnChain, parseSavedRules, type SavedTable } from './saved-rules.ts';

/** One packet filter and the tables of it that redirection uses. */
export interface FilterState {
  readonly backend: Backend;
  readonly tables: ReadonlyMap<Table, SavedTable>;
  /** Whether new rules of its family go there. */
  readonly isChosen: boolean;
}

/** What of a network namespace redirection may change. */
export interface RedirectState {
  readonly filters: readonly FilterState[];
  readonly routing: RoutingState;
}

/**
 * Reads the rules of both families and our routing. A family that is not `needed` and cannot be read counts as empty.
 * Throws a RedirectError.
 */
export async function readState(needed: readonly Family[]): Promise<RedirectState> {
  const families = ['IPv4', 'IPv6'] as const;
  const [filters, routing] = await Promise.all([
    Promise.all(families.map((family) => readFilters(family, needed.includes(family)))),
    readRouting(families),
  ]);
  return { filters: filters.flat(), routing };
}

async function readFilters(family: Family, isNeeded: boolean): Promise<FilterState[]> {
  const read: Omit<FilterState, 'isChosen'>[] = [];
  let failure: unknown;
  try {
    for (const backend of await findBackends(family)) {
      const isAlone = backend.variant === 'legacy' && read.length === 0;
      if (backend.variant === 'legacy' && !isAlone && !(await hasLegacyTables(family))) continue;
      const step = { argv: [backend.save] };
      const { exitCode, stdout, stderr } = await runCommand(step);
      if (exitCode === 0) read.push({ backend, tables: parseSavedRules(stdout) });
      else failure ??= explainFailure(step, { exitCode, stderr });
    }
  } catch (error) {
    failure = error;
  }
  if (read.length === 0 && isNeeded) throw failure;
  const chosen = read.find(holdsOurs) ?? read.find(holdsLegacyRules) ?? read[0];
  return read.map((filter) => ({ ...filter, isChosen: filter === chosen }));
}

/** A backend that holds rules already is the one that this machine uses. */
function holdsOurs({ tables }: Omit<FilterState, 'isChosen'>): boolean {
  return [...tables].some(([table, chains]) => [...chains.keys()].some((chain) => isOwnChain(table, chain)));
}

function holdsLegacyRules({ backend, tables }: Omit<FilterState, 'isChosen'>): boolean {
  if (backend.variant !== 'legacy') return false;
  return [...tables.values()].some((chains) => [...chains.values()].some((chain) => chain.rules.length > 0));
}
