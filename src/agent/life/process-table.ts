import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/** What tells one process from every other, also from a later one with the same id (proc(5)). */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between the boot and the start of the process. */
  readonly startTicks: number;
  /** `/proc/sys/kernel/random/boot_id` */
  readonly bootId: string;
  /** The PID namespace in which `pid` counts, `pid:[4026531836]`. */
  readonly namespace: string;
}

/** The identity of a process that runs; undefined when there is none, a zombie included: it has ended. */
export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name stands in parentheses and may hold anything; the fields after it are 3 (state) to 52.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, startTicks: Number(fields[18]), bootId: await bootId(), namespace: await ownNamespace() };
}

/** The command line of a process; empty when it has none or may not be read. */
export async function commandLineOf(pid: number): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.split('\0').slice(0, -1);
}

/** The working directory of a process; undefined when it may not be read. */
export function workingDirectoryOf(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}

/**
 * Who listens on a TCP port, for people: `process 12 (envoy)`; undefined when nobody does, or it is none of the processes
 * that this one may look into.
 */
export async function portOwner(port: number): Promise<string | undefined> {
  const all = (await tcpSockets('/proc/net')) ?? [];
  const sockets = new Set(all.filter((one) => one.isListening && one.port === port).map(({ name }) => name));
  if (sockets.size === 0) return undefined;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const file of files) {
      const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '');
      if (sockets.has(target)) return `process ${pid} (${await nameOf(pid)})`;
    }
  }
  return undefined;
}

/** TCP ports of this network namespace on which somebody listens, at whatever address; undefined when no table can be read. */
export async function listeningPorts(tables = '/proc/net'): Promise<ReadonlySet<number> | undefined> {
  return (await portsInUse(tables))?.listening;
}

/** TCP ports of this network namespace, at whatever address. */
export interface PortsInUse {
  /** Somebody listens there. */
  readonly listening: ReadonlySet<number>;
  /**
   * A connection has it on this side, or somebody listens there. One that has ended and that the kernel only remembers
   * (TIME_WAIT) does not count: a server gets its port, with SO_REUSEADDR, which servers set.
   */
  readonly taken: ReadonlySet<number>;
}

/** Both from one look at the kernel's tables; undefined when none can be read. */
export async function portsInUse(tables = '/proc/net'): Promise<PortsInUse | undefined> {
  const sockets = await tcpSockets(tables);
  if (sockets === undefined) return undefined;
  const portsOf = (some: readonly TcpSocket[]): ReadonlySet<number> => new Set(some.map(({ port }) => port));
  return {
    listening: portsOf(sockets.filter(({ isListening }) => isListening)),
    taken: portsOf(sockets.filter(({ isOver }) => !isOver)),
  };
}

interface TcpSocket {
  readonly port: number;
  readonly isListening: boolean;
  /** Its connection has ended, and nobody has it any more. */
  readonly isOver: boolean;
  /** `socket:[inode]`, as a descriptor of the socket reads. */
  readonly name: string;
}

async function tcpSockets(tables: string): Promise<readonly TcpSocket[] | undefined> {
  const read = (name: string) => readFile(`${tables}/${name}`, 'utf8').catch(() => undefined);
  const texts = (await Promise.all(['tcp', 'tcp6'].map(read))).filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.flatMap((text) => text.split('\n').slice(1).flatMap(tcpSocket));
}

/** What a line of `/proc/net/tcp` below its head tells of a socket; 0A is the state LISTEN, 06 TIME_WAIT. */
function tcpSocket(line: string): readonly TcpSocket[] {
  const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
  const port = Number.parseInt(local.split(':')[1] ?? '', 16);
  if (Number.isNaN(port)) return [];
  return [{ port, isListening: state === '0A', isOver: state === '06', name: `socket:[${inode}]` }];
}

/** The program of its command line: what the kernel calls a process is the name of a thread, `MainThread` for Node. */
async function nameOf(pid: string): Promise<string> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const [program = ''] = (await read('cmdline')).split('\0');
  return basename(program) || (await read('comm')).trim() || 'unknown';
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

function ownNamespace(): Promise<string> {
  return readlink('/proc/self/ns/pid');
}
