import { readFileSync } from 'node:fs';

/**
 * What this process has computed, and what the programs have that it started and awaited, with those that they awaited
 * (utime and stime, cutime and cstime of proc(5)); in seconds.
 */
export function cpuSeconds(): { readonly own: number; readonly ofChildren: number } {
  const afterName = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  // The kernel tells them in hundredths, on every machine.
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = afterName.slice(11, 15).map((it) => Number(it) / 100);
  return { own: user + system, ofChildren: childUser + childSystem };
}
