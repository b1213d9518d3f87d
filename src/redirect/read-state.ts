import { type Backend, findBackends, hasLegacyTables } from './backend.ts';
import type { Family } from './config.ts';
import { explainFailure } from './explain-failure.ts';
import { RedirectError } from './redirect-error.ts';
import type { RoutingItem } from './rule.ts';
import { ownProtocol, type Table } from './rule.ts';
import { runCommand } from './run-command.ts';
import { isOwnChain, parseSavedRules, type SavedTable } from './saved-rules.ts';
import { ipFamily } from './step.ts';

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
  /** What carries our protocol number. */
  readonly routing: readonly RoutingItem[];
}

/**
 * Reads the rules of both families and our routing. A family that is not `needed` and cannot be read counts as empty.
 * Throws a RedirectError.
 */
export async function readState(needed: readonly Family[]): Promise<RedirectState> {
  const families = ['IPv4', 'IPv6'] as const;
  const [filters, routing] = await Promise.all([
    Promise.all(families.map((family) => readFilters(family, needed.includes(family)))),
    Promise.all(families.map(readRouting)),
  ]);
  return { filters: filters.flat(), routing: routing.flat() };
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

interface IpRule {
  readonly fwmark?: string;
  readonly table?: string;
  readonly protocol?: string;
}

interface IpAddress {
  readonly addr_info?: readonly { readonly local?: string; readonly prefixlen?: number; readonly metric?: number }[];
}

async function readRouting(family: Family): Promise<RoutingItem[]> {
  const version = ipFamily(family);
  const own = String(ownProtocol);
  const [rules, routes, devices] = await Promise.all([
    readJson<IpRule>(['ip', version, '-j', 'rule', 'show']),
    readJson<{ readonly table?: string }>(['ip', version, '-j', 'route', 'show', 'table', 'all', 'proto', own]),
    family === 'IPv6' ? readJson<IpAddress>(['ip', version, '-j', 'addr', 'show', 'dev', 'lo']) : [],
  ]);
  return [
    ...devices
      .flatMap(({ addr_info = [] }) => addr_info)
      .filter(({ prefixlen, metric }) => prefixlen === 128 && metric === ownProtocol)
      .map(({ local = '' }): RoutingItem => ({ kind: 'address', family: 'IPv6', address: local })),
    ...routes.map(({ table }): RoutingItem => ({ kind: 'route', family, table: Number(table) })),
    ...rules
      .filter(({ protocol, fwmark }) => protocol === own && fwmark !== undefined)
      .map(({ fwmark, table }): RoutingItem => ({ kind: 'rule', family, mark: Number(fwmark), table: Number(table) })),
  ];
}

async function readJson<T>(argv: readonly string[]): Promise<readonly T[]> {
  const result = await runCommand({ argv }).catch((error: unknown) => {
    // Without iproute2 nothing of ours can be there; what needs it fails when it runs.
    if (error instanceof RedirectError && error.code === 'iptables-not-found') return undefined;
    throw error;
  });
  if (result === undefined || (result.exitCode !== 0 && /not supported|FIB table does not exist/.test(result.stderr)))
    return [];
  if (result.exitCode !== 0) throw explainFailure({ argv }, result);
  return result.stdout.trim() === '' ? [] : (JSON.parse(result.stdout) as T[]);
}
