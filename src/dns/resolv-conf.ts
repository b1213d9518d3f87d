import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { ServerAddress } from './exchange.ts';

/** The servers of a resolver's configuration (resolv.conf(5)): all of them, in their order, on port 53. */
export function parseResolvConf(text: string): readonly ServerAddress[] {
  const addresses = text.split('\n').flatMap((line) => {
    const [, address = ''] = /^nameserver[ \t]+(\S+)/.exec(line) ?? [];
    return isIP(address) === 0 ? [] : [address];
  });
  // Without any, the system asks the local machine.
  const asked = addresses.length === 0 ? ['127.0.0.1'] : [...new Set(addresses)];
  return asked.map((address) => ({ address, port: 53 }));
}

/** The servers that the file names, read anew when what is known of it is older than that: it changes with the network. */
export function followResolvConf(path: string, freshMs = 5_000): () => Promise<readonly ServerAddress[]> {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let servers: Promise<readonly ServerAddress[]> | undefined;
  return () => {
    const nowMs = performance.now();
    if (servers !== undefined && nowMs - readAtMs < freshMs) return servers;
    readAtMs = nowMs;
    const known = servers ?? Promise.resolve([]);
    // A file that is gone for a moment takes nothing away.
    servers = readFile(path, 'utf8').then(parseResolvConf, () => known);
    return servers;
  };
}
