import type { CompileResult } from '../../contracts/compile-result.ts';

export interface RunBounds {
  /** After so long it is given up; undefined: never. */
  readonly limitMs: number | undefined;
  /** After so long newer inputs end it; undefined: they do not. */
  readonly replacedMs: number | undefined;
  /** Fires when newer inputs are there. */
  readonly replaced: AbortSignal | undefined;
  readonly onLimit: () => void;
  readonly onReplaced: () => void;
}

/** One compilation from its start to its result, with the bounds on its time; no result where nothing was compiled. */
export class CompilationRun {
  readonly result: Promise<CompileResult | undefined>;
  readonly #startedAtMs = performance.now();
  readonly #bounds: RunBounds;
  readonly #limit: NodeJS.Timeout | undefined;
  #replacing: NodeJS.Timeout | undefined;
  #resolve: (result: CompileResult | undefined) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(bounds: RunBounds) {
    this.#bounds = bounds;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { limitMs, replacedMs, replaced, onLimit } = bounds;
    if (limitMs !== undefined) this.#limit = setTimeout(onLimit, limitMs);
    if (replacedMs === undefined) return;
    if (replaced?.aborted) this.#waitForEnd();
    else replaced?.addEventListener('abort', this.#waitForEnd, { once: true });
  }

  /** Since the start. */
  get ms(): number {
    return performance.now() - this.#startedAtMs;
  }

  resolve(result: CompileResult | undefined): void {
    this.#settle();
    this.#resolve(result);
  }

  reject(error: Error): void {
    this.#settle();
    this.#reject(error);
  }

  /** Newer inputs are there: what is left of the time that the compilation has all the same. */
  readonly #waitForEnd = (): void => {
    const { replacedMs = 0, onReplaced } = this.#bounds;
    this.#replacing = setTimeout(onReplaced, Math.max(0, replacedMs - this.ms));
  };

  #settle(): void {
    clearTimeout(this.#limit);
    clearTimeout(this.#replacing);
    this.#bounds.replaced?.removeEventListener('abort', this.#waitForEnd);
  }
}
