import { type Backend, findBackends, hasLegacyTables } from './backend.ts';
import type { Family } from './config.ts';
import { explainFailure } from './explain-failure.ts';
import { type RoutingState, readRouting } from './read-routing.ts';
import { RedirectError } from './redirect-error.ts';
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
 * Reads the rules of both families and our routing. A family that is not `needed` counts as empty where its tools are not
 * installed or the kernel lacks it. Throws a RedirectError when a filter cannot be read.
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
  const read: ReadFilter[] = [];
  let absence: unknown;
  for (const backend of await installedBackends(family, isNeeded)) {
    const isAlone = backend.variant === 'legacy' && read.length === 0;
    if (backend.variant === 'legacy' && !isAlone && !(await hasLegacyTables(family))) continue;
    const step = { argv: [backend.save] };
    const { exitCode, stdout, stderr } = await runCommand(step);
    if (exitCode === 0) {
      read.push({ backend, tables: parseSavedRules(stdout), holdsRules: /^-A /m.test(stdout) });
      continue;
    }
    const failure = explainFailure(step, { exitCode, stderr });
    // A filter that the kernel does not have holds nothing; in one that cannot be read there may be rules of ours.
    if (failure.code !== 'kernel-module-missing') throw failure;
    absence ??= failure;
  }
  if (read.length === 0 && isNeeded) throw absence;
  const chosen = read.find(holdsOurs) ?? read.find(isLegacyInUse) ?? read[0];
  return read.map(({ backend, tables }, i) => ({ backend, tables, isChosen: read[i] === chosen }));
}

async function installedBackends(family: Family, isNeeded: boolean): Promise<readonly Backend[]> {
  try {
    return await findBackends(family);
  } catch (error) {
    if (!isNeeded && error instanceof RedirectError && error.code === 'iptables-not-found') return [];
    throw error;
  }
}

interface ReadFilter extends Omit<FilterState, 'isChosen'> {
  /** In any table, whoever made them. */
  readonly holdsRules: boolean;
}

/** A backend that holds rules already is the one that this machine uses. */
function holdsOurs({ tables }: ReadFilter): boolean {
  return [...tables].some(([table, chains]) => [...chains.keys()].some((chain) => isOwnChain(table, chain)));
}

function isLegacyInUse({ backend, holdsRules }: ReadFilter): boolean {
  return backend.variant === 'legacy' && holdsRules;
}
