import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { delay } from '../lib/abort.ts';
import { OutputError } from './output-error.ts';

/** Begins the name of a folder that a run writes in before files take their places. */
export const claimPrefix = '.meshpol-stage-';

/** A claim of another machine or container counts for this long: whether its process lives cannot be seen. */
const foreignMs = 5 * 60_000;

/**
 * Makes a folder in `folder` that no other run has, once no other run writes there, and gives its path. Its name says
 * which process made it, so claims of processes that ended are removed, and no others. Of two runs that claim at once at
 * least one sees the other; whoever sees another takes its claim back, and looks again after a random time. Throws an
 * OutputError after `waitMs`, the system's errors, and the reason of `stop`.
 */
export async function claimFolder(folder: string, waitMs: number, stop?: AbortSignal): Promise<string> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    stop?.throwIfAborted();
    const own = `${claimPrefix}${here()}-${process.pid}-${startOf(process.pid) ?? 0}-${randomBytes(4).toString('hex')}`;
    await mkdir(join(folder, own));
    const takeBack = (): Promise<void> => rm(join(folder, own), { recursive: true, force: true });
    const other = await livingClaim(folder, own).catch(async (error: unknown) => {
      await takeBack();
      throw error;
    });
    if (other === undefined) return join(folder, own);
    await takeBack();
    if (Date.now() >= deadline) throw new OutputError('output-busy', busy(folder, other, waitMs));
    await delay(20 + Math.random() * 60, stop);
  }
}

function busy(folder: string, other: string, waitMs: number): string {
  return `another run writes to "${folder}" and has not ended within ${waitMs / 1000} s: run this one again after it, or, if no other run is left, remove "${join(folder, other)}"`;
}

/** Name of another run's claim, after those of runs that ended were removed. */
async function livingClaim(folder: string, own: string): Promise<string | undefined> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(claimPrefix) || name === own) continue;
    if (await isLiving(join(folder, name), name)) return name;
    await rm(join(folder, name), { recursive: true, force: true });
  }
  return undefined;
}

async function isLiving(path: string, name: string): Promise<boolean> {
  const [place, pid, start, ...rest] = name.slice(claimPrefix.length).split('-');
  if (rest.length !== 1) return false;
  if (place === here()) return startOf(Number(pid)) === start;
  try {
    return Date.now() - (await stat(path)).mtimeMs < foreignMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** When a process began, as the kernel counts; `0` where the system does not say; undefined for a process that ended. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the name, which may hold anything: the state, and 19 fields on the start (proc(5)).
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return isRunning(pid) ? '0' : undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The machine and its namespace of processes, in which a process number means one process. */
function here(): string {
  let place: string;
  try {
    place = `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')}${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    place = hostname();
  }
  return Buffer.from(place)
    .reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, 7)
    .toString(16);
}
