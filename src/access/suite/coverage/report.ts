import type { CoveragePlace } from './place.ts';

/** What tests have covered, and the texts of the files that it stands in. */
export interface CoverageReport {
  readonly places: readonly CoveragePlace[];
  /** By path. */
  readonly texts: ReadonlyMap<string, string>;
}
