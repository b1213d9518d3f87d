import type { Clock } from '../../lib/clock.ts';

/** So long may replicas refuse because they have read less; then an older state is better than none. */
const longestRefusalMs = 5_000;

/** What the control plane said of the state that its resources are of, for the next replica. */
export class ReplicaPosition {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #said: string | undefined;
  /** Time since which replicas that have read less refuse this client. */
  #refusedSinceMs: number | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Undefined: nothing was said. */
  get said(): string | undefined {
    return this.#said;
  }

  /** Takes what a response says, or what was said before this process ran. */
  take(position: string | undefined): void {
    this.#said = position;
  }

  /** A replica has read as much. */
  accepted(): void {
    this.#refusedSinceMs = undefined;
  }

  /** A replica has read less, and refuses. */
  refused(): void {
    this.#refusedSinceMs ??= this.#clock.monotonicMs();
  }

  /** What the next replica is told; undefined once replicas have refused for too long. */
  get told(): string | undefined {
    const now = this.#clock.monotonicMs();
    return now - (this.#refusedSinceMs ?? now) < longestRefusalMs ? this.#said : undefined;
  }
}
