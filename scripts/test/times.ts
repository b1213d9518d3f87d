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

/** Parts of the product that came after the first limit of 15 minutes and 1,000 CPU-seconds: each brought tests of its own. */
export const laterParts = [
  'lint',
  'compiling for many proxies',
  'the control plane',
  'Kubernetes',
  'admission and installation',
  'Consul, configuration servers and DNS',
  'predictions of requests',
  'tests of policies and replay',
] as const;

/**
 * What `make test` may take on two processors: the first limit, and for each later part two minutes and 160 CPU-seconds, for the
 * processors are busy two thirds of the time.
 */
export const budget = {
  seconds: 15 * 60 + laterParts.length * 2 * 60,
  cpuSeconds: 1_000 + laterParts.length * 160,
} as const;
