import { aborted } from '../lib/abort.ts';

/**
 * Whether Envoy may run. Its answer takes as long as a start of Envoy, so that it comes beside that: until it has come,
 * a started Envoy opens no listener of the mesh, and the agent is not ready.
 */
export class EnvoyCheck {
  readonly #passed: Promise<void>;

  /** `passed` rejects when Envoy may not run, and it alone says how long one waits. */
  constructor(passed: Promise<void>) {
    this.#passed = passed;
    passed.catch(() => undefined);
  }

  /** Whether it may by what is known now; throws when it may not. */
  async isPassed(): Promise<boolean> {
    const isOpen = {};
    return (await Promise.race([this.#passed, isOpen])) !== isOpen;
  }

  /** Waits for the answer, and no longer once `quit` fires; throws when Envoy may not run. */
  async wait(quit: AbortSignal): Promise<void> {
    await Promise.race([this.#passed, aborted(quit)]);
  }
}
