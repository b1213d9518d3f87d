import { KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import type { PlainLog } from '../../lib/log.ts';

const tellEveryMs = 60_000;

/** Asks an API server for what is asked again soon anyway: what fails is logged once a minute, and stops nothing. */
export class Attempts {
  readonly #log: PlainLog;
  readonly #message: string;
  #toldMs = Number.NEGATIVE_INFINITY;

  /** `message` says what does not work while it fails. */
  constructor(log: PlainLog, message: string) {
    this.#log = log;
    this.#message = message;
  }

  /** Whether it succeeded. What is no matter of the server is thrown. */
  async make(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      if (performance.now() - this.#toldMs >= tellEveryMs) {
        this.#toldMs = performance.now();
        this.#log.warn(this.#message, { reason: error.message });
      }
      return false;
    }
  }
}
