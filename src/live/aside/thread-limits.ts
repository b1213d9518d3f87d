import type { ResourceLimits } from 'node:worker_threads';

/**
 * V8 would let the part of the heap where objects begin grow to 128 MiB (Node 24 on a machine with 24 GB), and keep most of
 * it for minutes after a compilation. With this much, a compilation takes as long.
 */
const maxYoungGenerationSizeMb = 24;

/** Limits of a thread that compiles; `heapMiB`: the most that its heap may grow to, absent: as V8 decides. */
export function compileThreadLimits(heapMiB: number | undefined): ResourceLimits {
  return { maxYoungGenerationSizeMb, ...(heapMiB !== undefined && { maxOldGenerationSizeMb: heapMiB }) };
}
