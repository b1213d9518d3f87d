/** `make soak`: tests try more often than `make test` has time for. */
const isSoak = process.env.SOAK === '1';

/** How often a test tries: `few` times in `make test`, `factor` times as often in `make soak`. */
export function tries(few: number, factor = 20): number {
  return isSoak ? few * factor : few;
}

/**
 * fast-check's options for a property: `few` generated values in `make test`, twenty times as many in `make soak`. No
 * seed: each run looks elsewhere, and a failure prints its own.
 */
export function runs(few = 100): { readonly numRuns: number } {
  return { numRuns: tries(few) };
}
