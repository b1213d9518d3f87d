import type { StopSignals } from './signals.ts';

/** Whatever asks the agent to end: signals, a program of the same pod, a bug of ours. */
export class StopRequests {
  /** Stop, after a drain. The abort reason says who asks. */
  readonly stop: AbortSignal;
  /** Skip the wait of the drain. */
  readonly hurry: AbortSignal;
  /** Kill. */
  readonly kill: AbortSignal;
  readonly #quit = new AbortController();

  constructor(signals: Pick<StopSignals, 'stop' | 'hurry' | 'kill'>) {
    this.stop = AbortSignal.any([signals.stop, this.#quit.signal]);
    this.hurry = AbortSignal.any([signals.hurry, this.#quit.signal]);
    this.kill = signals.kill;
  }

  /** Asks for the end without the wait of a drain. */
  quit(reason: string): void {
    this.#quit.abort(reason);
  }
}
