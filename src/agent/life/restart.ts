/**
 * When an Envoy that exited on its own is restarted. `on-failure` and `always` mean the same: an exit without a stop of the
 * agent is a failure, whatever Envoy's exit code.
 */
export const restartPolicies = ['never', 'on-failure', 'always'] as const;
export type RestartPolicy = (typeof restartPolicies)[number];

const firstDelayMs = 250;
const longestDelayMs = 30_000;
/** After Envoy has run for this long, the next delay is the first one again. */
const healthyMs = 60_000;
/** Random share by which a delay is longer or shorter, so that proxies that failed together do not restart together. */
const jitter = 0.2;

/**
 * Whether an Envoy that exited on its own is restarted. One that was never ready since the agent's start is not: a restart
 * does not fix its configuration or the machine.
 */
export function isRestarted(policy: RestartPolicy, wasEverReady: boolean): boolean {
  return wasEverReady && policy !== 'never';
}

/** Delays between one end and the next start: doubled each time up to 30 s, a fifth more or less by chance. */
export class RestartBackoff {
  readonly #random: () => number;
  #failures = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Milliseconds to wait after an Envoy that lived for `livedMs`. */
  next(livedMs: number): number {
    if (livedMs >= healthyMs) this.#failures = 0;
    const plain = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(this.#failures++, 20));
    return Math.round(plain * (1 + jitter * (2 * this.#random() - 1)));
  }
}
