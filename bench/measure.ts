import { performance } from 'node:perf_hooks';

/**
 * Median of `runs` timings of `work`, in milliseconds. Before that it runs for `warmUpMs`, once at least: in its first
 * seconds a program is interpreted, and compiled by V8 beside it.
 */
export function medianMs(runs: number, work: () => void, warmUpMs = 0): number {
  const warm = performance.now() + warmUpMs;
  do work();
  while (performance.now() < warm);
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return median(times);
}

/** The value that a share of the values, from 0 to 1, does not exceed (nearest rank). */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Milliseconds of the clock that all processes of the machine share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Highest resident memory of this process so far, in MB. */
export function peakMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}

export function line(label: string, ...figures: readonly string[]): void {
  console.log(`${label.padEnd(58)} ${figures.join('   ')}`);
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

export function ratio(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} x`;
}
