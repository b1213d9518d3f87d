import { afterAll } from 'vitest';
import { cpuSeconds } from '../../scripts/test/process-times.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What the file's process, and the programs that it started and awaited, have computed meanwhile. */
    cpuSeconds?: number;
  }
}

// A process runs one file after the other.
const before = cpuSeconds();

// Registered before all others, so that it runs after them.
// biome-ignore lint/correctness/noEmptyPattern: Vitest wants it taken apart
afterAll(({}, file) => {
  const { own, ofChildren } = cpuSeconds();
  file.meta.cpuSeconds = own - before.own + (ofChildren - before.ofChildren);
});
