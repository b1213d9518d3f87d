import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** USER_HZ of proc(5): 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Resident memory of a process now and its highest so far, in MiB. */
export function residentMib(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** Share of one processor that a process uses in the next `seconds`, in percent. */
export async function cpuPercent(pid: number, seconds: number): Promise<number> {
  const before = ticksOf(pid);
  await delay(seconds * 1_000);
  return ((ticksOf(pid) - before) / ticksPerSecond / seconds) * 100;
}

/** Processor time of a process so far, user's and system's, in milliseconds. */
export function cpuMs(pid: number): number {
  return (ticksOf(pid) / ticksPerSecond) * 1_000;
}

/** User and system time so far (proc(5), fields 14 and 15); the name before them may hold spaces. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
