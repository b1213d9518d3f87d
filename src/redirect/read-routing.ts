import type { Family } from './config.ts';
import { explainFailure } from './explain-failure.ts';
import { RedirectError } from './redirect-error.ts';
import { ownProtocol, type RoutingItem } from './rule.ts';
import { runCommand } from './run-command.ts';
import { ipFamily } from './step.ts';

/** Routing rules, local routes and addresses of lo, as far as redirection needs such. */
export interface RoutingState {
  readonly own: readonly RoutingItem[];
  /** What somebody else has made and serves as well as ours would; the kernel refuses a second one. */
  readonly others: readonly RoutingItem[];
}

interface IpRule {
  readonly fwmark?: string;
  readonly table?: string;
  readonly protocol?: string;
}

interface IpRoute {
  readonly dev?: string;
  readonly table?: string;
  readonly protocol?: string;
}

interface IpAddress {
  readonly addr_info?: readonly { readonly local?: string; readonly prefixlen?: number; readonly metric?: number }[];
}

/** Reads them with iproute2; where that is not installed there are none. Throws a RedirectError. */
export async function readRouting(families: readonly Family[]): Promise<RoutingState> {
  const states = await Promise.all(families.map(readFamily));
  return { own: states.flatMap(({ own }) => own), others: states.flatMap(({ others }) => others) };
}

async function readFamily(family: Family): Promise<RoutingState> {
  const version = ipFamily(family);
  const [rules, routes, devices] = await Promise.all([
    readJson<IpRule>(['ip', version, '-j', 'rule', 'show']),
    readJson<IpRoute>(['ip', version, '-j', 'route', 'show', 'table', 'all', 'type', 'local', 'exact', 'default']),
    family === 'IPv6' ? readJson<IpAddress>(['ip', version, '-j', 'addr', 'show', 'dev', 'lo']) : [],
  ]);
  const found = [
    ...devices
      .flatMap(({ addr_info = [] }) => addr_info)
      .filter(({ prefixlen }) => prefixlen === 128)
      .map(({ local = '', metric }) => ({ isOwn: metric === ownProtocol, item: addressItem(local) })),
    ...routes
      .filter(({ dev }) => dev === 'lo')
      .map(({ table, protocol }) => ({ isOwn: isOwn(protocol), item: routeItem(family, Number(table)) })),
    // A rule of somebody else may ask for more than the mark, and the kernel takes a second one.
    ...rules
      .filter(({ protocol, fwmark }) => isOwn(protocol) && fwmark !== undefined)
      .map(({ fwmark, table }) => ({ isOwn: true, item: ruleItem(family, Number(fwmark), Number(table)) })),
  ];
  const select = (own: boolean): RoutingItem[] => found.filter((entry) => entry.isOwn === own).map(({ item }) => item);
  return { own: select(true), others: select(false) };
}

function isOwn(protocol: string | undefined): boolean {
  return protocol === String(ownProtocol);
}

function addressItem(address: string): RoutingItem {
  return { kind: 'address', family: 'IPv6', address };
}

function routeItem(family: Family, table: number): RoutingItem {
  return { kind: 'route', family, table };
}

function ruleItem(family: Family, mark: number, table: number): RoutingItem {
  return { kind: 'rule', family, mark, table };
}

async function readJson<T>(argv: readonly string[]): Promise<readonly T[]> {
  const result = await runCommand({ argv }).catch((error: unknown) => {
    // What needs it fails when it runs.
    if (error instanceof RedirectError && error.code === 'iptables-not-found') return undefined;
    throw error;
  });
  if (result === undefined) return [];
  // A kernel without the family, or without policy routing.
  if (result.exitCode !== 0 && /not supported|FIB table does not exist/.test(result.stderr)) return [];
  if (result.exitCode !== 0) throw explainFailure({ argv }, result);
  return result.stdout.trim() === '' ? [] : (JSON.parse(result.stdout) as T[]);
}
