import { aborted } from '../lib/abort.ts';

/**
 * Whether Envoy may run. Its answer takes as long as a start of Envoy, so that it comes beside that: until it has come,
 * a started Envoy opens no listener of the mesh, and the agent is not ready.
 */
export class EnvoyCheck {
  readonly #check: () => Promise<void>;
  #passed: Promise<void> | undefined;

  /** `check` rejects when Envoy may not run, and it alone says how long one waits. It is called once, at `begin`. */
  constructor(check: () => Promise<void>) {
    this.#check = check;
  }

  /** Starts to ask, unless it has been asked already. */
  begin(): void {
    void this.#begun();
  }

  /** Whether it may by what is known now; throws when it may not. */
  async isPassed(): Promise<boolean> {
    if (this.#passed === undefined) return false;
    const isOpen = {};
    return (await Promise.race([this.#passed, isOpen])) !== isOpen;
  }

  /** Waits for the answer, and no longer once `quit` fires; throws when Envoy may not run. */
  async wait(quit: AbortSignal): Promise<void> {
    await Promise.race([this.#begun(), aborted(quit)]);
  }

  #begun(): Promise<void> {
    if (this.#passed === undefined) {
      this.#passed = this.#check();
      this.#passed.catch(() => undefined);
    }
    return this.#passed;
  }
}
