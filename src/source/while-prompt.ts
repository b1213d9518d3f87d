import type { ReadThrough } from './read.ts';

/** A file that is in memory takes a tenth of a millisecond. What takes longer than this waits for a disk or a network. */
const promptMs = 5;

/** So many files are read beside each other after one that was waited for. */
const besideEachOther = 64;

/**
 * Reads on this thread as long as the file system answers at once: of thousands of files that takes a quarter of the time.
 * After a file that was waited for, the next ones are waited for together. For a program that has nothing else to do
 * meanwhile.
 */
export function whilePrompt(clock: () => number = Date.now): ReadThrough {
  let waiting = 0;
  return (_, read) => {
    if (waiting > 0) {
      waiting -= 1;
      return read();
    }
    const startedAt = clock();
    const reading = read(true);
    if (clock() - startedAt > promptMs) waiting = besideEachOther;
    return reading;
  };
}
