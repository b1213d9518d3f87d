import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { ConnectionEnds } from './loopback.ts';

/** Whose the caller's end of a connection is, as the kernel tells it. */
export type SocketOwner =
  | {
      readonly isKnown: true;
      readonly uid: number;
      /** As a descriptor of the socket reads: `socket:[4711]`. */
      readonly name: string;
    }
  /** `closed`: no process has that end open any more. `no-table`: this machine does not show the owners of sockets. */
  | { readonly isKnown: false; readonly why: 'closed' | 'no-table' };

/** What a machine without these tables answers; anything else, such as too many open files, is a failure of the moment. */
const absent = ['ENOENT', 'EACCES', 'EPERM'];

/**
 * Who made a connection from this network namespace, of its two ends as the accepting socket has them. The kernel shows
 * the user and the inode of each end in `/proc/net/tcp`, those of IPv6 sockets in `tcp6`, where IPv4 may stand as
 * `::ffff:127.0.0.1`. An end that was closed has inode 0 and user 0, which then does not mean root. Throws if the tables
 * can't be read at the moment.
 */
export async function ownerOf(ends: ConnectionEnds, tables = '/proc/net'): Promise<SocketOwner> {
  const [local, remote] = [hexEnd(ends.remoteAddress, ends.remotePort), hexEnd(ends.localAddress, ends.localPort)];
  const texts = await Promise.all(['tcp', 'tcp6'].map((name) => readTable(`${tables}/${name}`)));
  if (texts.every((text) => text === undefined)) return { isKnown: false, why: 'no-table' };
  for (const form of ['v4', 'v6'] as const) {
    const owner = ownerIn(texts[form === 'v4' ? 0 : 1] ?? '', ` ${local[form]} ${remote[form]} `);
    if (owner !== undefined) return owner;
  }
  return { isKnown: false, why: 'closed' };
}

async function readTable(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if (absent.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** `sl local remote st tx:rx tr:when retrnsmt uid timeout inode …` (proc(5)). */
function ownerIn(table: string, ends: string): SocketOwner | undefined {
  const at = table.indexOf(ends);
  if (at < 0) return undefined;
  const [, , , , , , uid = '', , inode = '0'] = table.slice(at).split('\n', 1)[0]?.trim().split(/\s+/) ?? [];
  if (inode === '0') return { isKnown: false, why: 'closed' };
  return { isKnown: true, uid: Number(uid), name: `socket:[${inode}]` };
}

/** An end as either table writes it: words of 32 bits in the machine's own order, then the port. */
function hexEnd(address = '', port = 0): { readonly v4: string; readonly v6: string } {
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  const end = (bytes: readonly number[]): string => {
    const words = Buffer.from(bytes);
    if (endianness() === 'LE') words.swap32();
    return `${words.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
  };
  if (parsed.kind() === 'ipv6') return { v4: 'none', v6: end(parsed.toByteArray()) };
  return { v4: end(parsed.toByteArray()), v6: end((parsed as ipaddr.IPv4).toIPv4MappedAddress().toByteArray()) };
}
