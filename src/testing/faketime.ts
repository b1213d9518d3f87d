import { spawnSync } from 'node:child_process';

/**
 * Variables under which a program has another clock, as libfaketime says (`FAKETIME_TIMESTAMP_FILE: path`, `FAKETIME: '+1d'`);
 * its monotonic clock stays. The library is preloaded as the program `faketime` finds it: that one would fix the time at
 * the start, and outlive a signal to it.
 */
export function fakedClock(clock: Readonly<Record<string, string>>): Record<string, string> {
  const { stdout } = spawnSync('faketime', ['-f', '+0', 'sh', '-c', 'echo "$LD_PRELOAD"'], { encoding: 'utf8' });
  const library = stdout?.trim() ?? '';
  // With the real clock a test would pass and show nothing.
  if (library === '') throw new Error('there is no faketime: make setup installs it');
  return { LD_PRELOAD: library, FAKETIME_DONT_FAKE_MONOTONIC: '1', ...clock };
}
