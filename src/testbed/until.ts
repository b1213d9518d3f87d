import { delay } from '../lib/abort.ts';

export interface UntilOptions {
  readonly timeoutMs: number;
  readonly everyMs?: number;
  /** The error's text when the time is over. */
  readonly otherwise: () => Promise<string>;
}

/** Asks `probe` again and again until it gives a value; throws when the time is over, or what the probe throws. */
export async function until<T>(probe: () => Promise<T | undefined>, options: UntilOptions): Promise<T> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(await options.otherwise());
    await delay(options.everyMs ?? 25);
  }
}
