import { readdir, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { Family } from './config.ts';
import type { HostFacts } from './parse-config.ts';
import { parseUserDatabase } from './user-database.ts';

const ipv6Folder = '/proc/sys/net/ipv6/conf';

/** Reads the user database and which address families the network namespace uses; runs no program. */
export async function readHost(): Promise<HostFacts> {
  const [passwd, group, hasIpv6] = await Promise.all([readText('/etc/passwd'), readText('/etc/group'), usesIpv6()]);
  const families: readonly Family[] = hasIpv6 ? ['IPv4', 'IPv6'] : ['IPv4'];
  return { database: parseUserDatabase(passwd, group), families };
}

/**
 * IPv6 is in use unless every interface has it switched off. An address is not waited for: whoever gets one later would
 * be reachable past the proxy.
 */
async function usesIpv6(): Promise<boolean> {
  let interfaces: readonly string[];
  try {
    interfaces = await readdir(ipv6Folder);
  } catch {
    // A kernel without IPv6, or a container that may not look: the addresses tell.
    return Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'));
  }
  // "all" is a way to set the others, "default" is for those to come, and lo is nobody's way in.
  const real = interfaces.filter((name) => !['all', 'default', 'lo'].includes(name));
  const switches = await Promise.all(
    (real.length > 0 ? real : ['default']).map((name) => readText(`${ipv6Folder}/${name}/disable_ipv6`)),
  );
  // What cannot be read counts as on.
  return switches.some((text) => ['0', ''].includes(text.trim()));
}

/** Empty when there is no such file: a container without users, an interface that went away. */
async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
