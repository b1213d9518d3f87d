/** `make soak`: tests try more often than `make test` has time for. */
export const isSoak = process.env.SOAK === '1';

/**
 * Runs of the unit tests beside that of `make test` on the newest Node, which tries most: its second run, on the oldest Node, for what
 * is generated depends on no version of Node, and `make check`, for which somebody waits.
 */
const isShort = ['floor', 'check'].includes(process.env.TEST_RUN ?? '');

/** How often a test tries: `few` times in `make test`, `factor` times as often in `make soak`. */
export function tries(few: number, factor = 20): number {
  return isSoak ? few * factor : few;
}

/**
 * fast-check's options for a property: `few` generated values in `make test`, a quarter of 40 and more in its second run and in
 * `make check`, `factor` times as many in `make soak`. No seed: each run looks elsewhere, and a failure prints its own.
 */
export function runs(few = 100, factor = 20): { readonly numRuns: number } {
  return { numRuns: isShort && few >= 40 ? Math.ceil(few / 4) : tries(few, factor) };
}

/** Of chance: another one at each call. */
export function newSeed(): number {
  return 1 + Math.floor(Math.random() * 2 ** 31);
}

/** The same seed each time in `make test`, three others in `make soak`: what these find is no fault of the change at hand. */
export function seeds(usual: number): readonly number[] {
  return isSoak ? [newSeed(), newSeed(), newSeed()] : [usual];
}
