import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { median } from './measure.ts';

/** Median wall time of a whole process, in milliseconds, after one run that is not counted; its output is thrown away. */
export function wallMs(runs: number, [program = '', ...args]: readonly string[]): number {
  const once = (): number => {
    const start = performance.now();
    const { status, stderr } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
    return performance.now() - start;
  };
  once();
  return median(Array.from({ length: runs }, once));
}
