/** How long a test file took, in seconds; the moments are seconds after the run's beginning. */
export interface FileTimes {
  readonly file: string;
  readonly project: string;
  readonly seconds: number;
  /** Absent where the file had no process of its own. */
  readonly cpuSeconds?: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** One run of Vitest: of all tests, or of those of units on the oldest Node. */
export interface RunTimes {
  readonly name: 'all' | 'floor';
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly files: readonly FileTimes[];
}

/** What `make test` leaves. */
export interface TestTimes {
  readonly processors: number;
  readonly runs: readonly RunTimes[];
}

/** Where `make test` leaves the times of its last run. */
export const timesFile = '.cache/test-times.json';

/** What `make test` may take on two processors. */
export const budget = { seconds: 23 * 60, cpuSeconds: 1_650 } as const;
