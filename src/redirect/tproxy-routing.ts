import { readFile } from 'node:fs/promises';
import { hasCapability } from './capabilities.ts';

/** What leads marked packets to this host: `ours`, somebody else's, or nothing; rules for TPROXY need it. */
export type TproxyRouting = 'ours' | 'of others' | 'none';

/** What decides whether a proxy can be reached by TPROXY here. */
export interface TproxyFacts {
  /** Undefined where the kernel does not show its tables. */
  readonly routing: TproxyRouting | undefined;
  /** NET_ADMIN of a program that this process starts: `never` where the container took it away. */
  readonly netAdmin: 'has' | 'lacks' | 'never';
}

/** Looks at this network namespace and this process; needs no privilege. */
export async function readTproxyFacts(): Promise<TproxyFacts> {
  return { routing: await readTproxyRouting(), netAdmin: netAdmin() };
}

/** Every routing table of IPv4, readable by everybody. */
const routingTables = '/proc/net/fib_trie';

/** Looks for the local default route of TPROXY. Whose it is iproute2 tells, without which it counts as of others. */
async function readTproxyRouting(): Promise<TproxyRouting | undefined> {
  let tables: string;
  try {
    tables = await readFile(routingTables, 'utf8');
  } catch {
    // A kernel or a container that does not show them.
    return undefined;
  }
  if (!hasLocalDefault(tables)) return 'none';
  // What runs programs takes long to load, and is needed here alone.
  const { readRouting } = await import('./read-routing.ts');
  const { own } = await readRouting(['IPv4']).catch(() => ({ own: [] }));
  return own.some(({ kind }) => kind === 'route') ? 'ours' : 'of others';
}

/** A route to every address that is of type local. */
export function hasLocalDefault(tables: string): boolean {
  return /\|-- 0\.0\.0\.0\n(?:\s+\/\d+ .*\n)*?\s+\/0 host LOCAL/.test(tables);
}

/** Only root hands on what is in effect; others hand on what is ambient. */
function netAdmin(): TproxyFacts['netAdmin'] {
  if (!hasCapability('NET_ADMIN', 'CapBnd')) return 'never';
  return hasCapability('NET_ADMIN', process.geteuid?.() === 0 ? 'CapEff' : 'CapAmb') ? 'has' : 'lacks';
}
