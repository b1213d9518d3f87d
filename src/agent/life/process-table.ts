import { readdir, readFile, readlink } from 'node:fs/promises';

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
  const sockets = await listeningSockets(port);
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

/** Whether anybody listens on a TCP port of this network namespace, at whatever address. */
export async function isListenedOn(port: number): Promise<boolean> {
  return (await listeningSockets(port)).size > 0;
}

async function listeningSockets(port: number): Promise<ReadonlySet<string>> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  return new Set(tables.flatMap((table) => table.split('\n').flatMap((line) => listeningInode(line, port))));
}

/** `socket:[inode]` of a line of `/proc/net/tcp` in state LISTEN (0A) at `port`. */
function listeningInode(line: string, port: number): readonly string[] {
  const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
  return state === '0A' && Number.parseInt(local.split(':')[1] ?? '', 16) === port ? [`socket:[${inode}]`] : [];
}

async function nameOf(pid: string): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'unknown')).trim();
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

function ownNamespace(): Promise<string> {
  return readlink('/proc/self/ns/pid');
}
