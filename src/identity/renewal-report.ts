import type { Gravity } from './rotation.ts';

/** What is told of a certificate that could not be had. */
export interface RenewalTrouble {
  readonly gravity: Gravity;
  /** One line, without key or token. */
  readonly message: string;
  /** Until the next attempt. */
  readonly nextAttemptMs: number;
}

const order: readonly Gravity[] = ['info', 'warn', 'error'];
/** The same trouble is reported again after this long. */
const repeatMs = 60_000;
/** Troubles that take turns are told no more often than this. */
const apartMs = 5_000;

/** Lets through what is new: another trouble, a graver one, or the same one a minute later. */
export class RenewalReport {
  readonly #tell: (trouble: RenewalTrouble) => void;
  #last: (RenewalTrouble & { readonly atMs: number }) | undefined;

  constructor(tell: (trouble: RenewalTrouble) => void) {
    this.#tell = tell;
  }

  /** `atMs` is monotonic. */
  failed(trouble: RenewalTrouble, atMs: number): void {
    const { gravity, message, atMs: lastMs } = this.#last ?? { gravity: 'info', message: '', atMs: -Infinity };
    const isGraver = order.indexOf(trouble.gravity) > order.indexOf(gravity);
    const isOther = message !== trouble.message && atMs - lastMs >= apartMs;
    if (!isGraver && !isOther && atMs - lastMs < repeatMs) return;
    this.#last = { ...trouble, atMs };
    this.#tell(trouble);
  }

  /** The trouble is over; the next one is reported at once. */
  succeeded(): void {
    this.#last = undefined;
  }
}
