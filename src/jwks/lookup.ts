import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Lookup } from './target.ts';

export interface LookupOptions {
  /** hosts(5); `/etc/hosts` by default. */
  readonly hostsFile?: string;
  /** resolv.conf(5); `/etc/resolv.conf` by default. */
  readonly resolvConf?: string;
  /** `address` or `address:port` of the DNS servers instead of those that the system names. */
  readonly servers?: readonly string[];
}

/**
 * Finds addresses in the file of hosts, else by DNS with the system's servers and search domains. Not by getaddrinfo: that
 * blocks one of Node's four threads for files as long as a DNS server is silent, and nothing can end it, so that a few
 * such names would hold up everything that reads a file.
 */
export function createLookup(options: LookupOptions = {}): Lookup {
  const { hostsFile = '/etc/hosts', resolvConf = '/etc/resolv.conf', servers } = options;
  return async (hostname, signal) => {
    const named = addressesInHosts(await readText(hostsFile), hostname);
    if (named.length > 0) return named;
    // Made anew each time: the system's servers may be others by now.
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const stop = (): void => resolver.cancel();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await search(resolver, namesToTry(await readText(resolvConf), hostname), signal);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}

/** The addresses of the first name that has any. Throws the error of the first name that could not be asked for. */
async function search(resolver: Resolver, names: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  let failure: unknown;
  for (const name of names) {
    signal.throwIfAborted();
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    failure ??= answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])).find(isNoAnswer);
  }
  if (failure !== undefined) throw failure;
  return [];
}

/** Whether nobody said that there is no such name or address. */
function isNoAnswer(error: NodeJS.ErrnoException): boolean {
  return error.code !== 'ENOTFOUND' && error.code !== 'ENODATA';
}

/** hosts(5): an address, then its names; both files of addresses and names are read without case. */
function addressesInHosts(text: string, hostname: string): readonly string[] {
  const wanted = hostname.toLowerCase();
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((name) => name.toLowerCase() === wanted) ? [address] : [];
  });
}

/** resolv.conf(5): a name with fewer dots than `ndots` is tried in the search domains first, another one last. */
function namesToTry(text: string, hostname: string): readonly string[] {
  if (hostname.endsWith('.')) return [hostname];
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  // The last of them counts.
  const domains =
    lines
      .filter(([word]) => word === 'search' || word === 'domain')
      .at(-1)
      ?.slice(1) ?? [];
  const option = lines
    .filter(([word]) => word === 'options')
    .flat()
    .find((word) => /^ndots:\d+$/.test(word));
  const fewest = Math.min(Number(option?.slice('ndots:'.length) ?? 1), 15);
  const searched = domains.slice(0, 6).map((domain) => `${hostname}.${domain}`);
  return hostname.split('.').length - 1 >= fewest ? [hostname, ...searched] : [...searched, hostname];
}

/** Empty when there is no such file. */
async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
