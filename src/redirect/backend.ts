import { readFile } from 'node:fs/promises';
import type { Family } from './config.ts';
import { RedirectError } from './redirect-error.ts';
import { hasCommand, runCommand } from './run-command.ts';

/** One of the two packet filters of the kernel, through the tools of one family. */
export interface Backend {
  readonly family: Family;
  readonly variant: 'nft' | 'legacy';
  readonly save: string;
  readonly restore: string;
}

const toolNames: Readonly<Record<Family, string>> = { IPv4: 'iptables', IPv6: 'ip6tables' };

/** Names of the tables that the legacy filter holds; a table appears there when it is first used. */
const legacyTables: Readonly<Record<Family, string>> = {
  IPv4: '/proc/net/ip_tables_names',
  IPv6: '/proc/net/ip6_tables_names',
};

/** The backend that a machine without special cases has, by its plain names. */
export function usualBackend(family: Family): Backend {
  return backend(family, 'nft', toolNames[family]);
}

/**
 * Backends of a family whose tools are installed, the system's choice first. Throws a RedirectError when there is none.
 */
export async function findBackends(family: Family): Promise<Backend[]> {
  const plain = toolNames[family];
  const found: Backend[] = [];
  if ((await hasCommand(`${plain}-restore`)) && (await hasCommand(`${plain}-save`))) {
    const { stdout } = await runCommand({ argv: [`${plain}-save`, '--version'] });
    found.push(backend(family, stdout.includes('nf_tables') ? 'nft' : 'legacy', plain));
  }
  for (const variant of ['nft', 'legacy'] as const) {
    const name = `${plain}-${variant}`;
    if (found.some((other) => other.variant === variant) || !(await hasCommand(`${name}-restore`))) continue;
    found.push(backend(family, variant, name));
  }
  if (found.length === 0) {
    throw new RedirectError('iptables-not-found', `there is no ${plain}-restore: install the package iptables`);
  }
  return found;
}

/**
 * Whether the legacy filter of this network namespace holds any table: reading it otherwise would create some. Throws a
 * RedirectError where that cannot be seen.
 */
export async function hasLegacyTables(family: Family): Promise<boolean> {
  const path = legacyTables[family];
  try {
    return (await readFile(path, 'utf8')).trim() !== '';
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    // The kernel has no legacy filter.
    if (code === 'ENOENT') return false;
    const message = `cannot read ${path} (${code}), so rules of ours in the legacy filter would not be seen: run as root`;
    throw new RedirectError('net-admin-missing', `${message}, with the capability NET_ADMIN`, { cause });
  }
}

function backend(family: Family, variant: Backend['variant'], name: string): Backend {
  return { family, variant, save: `${name}-save`, restore: `${name}-restore` };
}
