import type { Outcome, Step } from '../outcome.ts';
import type { Connection, HttpRequest } from '../request.ts';
import type { WorkloadName } from '../world.ts';
import type { Unknown } from './choices.ts';
import type { Observer } from './surroundings.ts';

/** What one proxy did with a request, or what happens without a proxy. */
export interface Leg {
  readonly workload: WorkloadName;
  readonly side: 'client' | 'gateway' | 'server';
  /** Absent where the workload has no proxy in the way. */
  readonly listener?: string;
  readonly steps: readonly Step[];
  /** What came to the proxy, and what became of it there; absent without a listener. */
  readonly passing?: Passing;
}

/** A connection and its request, as they come to one proxy, and what this proxy does with them. */
export interface Passing {
  readonly connection: Connection;
  /** Absent for bytes. */
  readonly request: HttpRequest | undefined;
  readonly outcome: Outcome;
}

/** One way that a request may take. */
export interface Way {
  readonly outcome: Outcome;
  readonly legs: readonly Leg[];
  /** Who it is sent to in the end; absent where it does not come so far. */
  readonly target?: WorkloadName;
  /** What it assumes of things that nobody knows; absent: nothing. */
  readonly because?: readonly Unknown[];
}

/** Gives who observes the proxy of a workload, on whatever way. */
export type ObserveProxy = (workload: WorkloadName) => Observer;
