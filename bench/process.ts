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

/** What one run of a script of Node has used. */
export interface RunUse {
  readonly wallMs: number;
  /** Of all its threads, user's and system's. */
  readonly cpuMs: number;
  readonly peakMib: number;
}

/** Runs a script with these words once, and throws its output away; `codes` are the exit codes that are right. */
export function runUse(words: readonly string[], codes: readonly number[] = [0]): RunUse {
  const told = `process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    require("node:fs").writeSync(2, "used " + (userCPUTime + systemCPUTime) + " " + maxRSS + "\\n");
  });`;
  const hook = `data:text/javascript,import { createRequire } from "node:module"; const require = createRequire("file:///"); ${encodeURIComponent(told)}`;
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', hook, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const wallMs = performance.now() - start;
  const [, cpu, peak] = /used (\d+) (\d+)/.exec(stderr) ?? [];
  if (status === null || !codes.includes(status) || cpu === undefined)
    throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  return { wallMs, cpuMs: Number(cpu) / 1_000, peakMib: Number(peak) / 1_024 };
}
