import type { Gravity } from './rotation.ts';

/** Report of a certificate that could not be obtained or renewed. */
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
/** Alternating reasons are reported no more often than this. */
const apartMs = 5_000;

/** Passes on new reports: another reason, a higher level, or the same reason a minute later. */
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
