/**
 * When an Envoy that ended by itself is started again. `on-failure` and `always` say the same: an end that nobody asked the
 * agent for is a failure, whatever Envoy's exit code.
 */
export const restartPolicies = ['never', 'on-failure', 'always'] as const;
export type RestartPolicy = (typeof restartPolicies)[number];

const firstDelayMs = 250;
const longestDelayMs = 30_000;
/** An Envoy that lived so long had no fault of its start: the next delay is the first again. */
const healthyMs = 60_000;
/** Share of a delay that chance adds or takes: proxies of one fault do not come back in step. */
const jitter = 0.2;

/**
 * Whether an Envoy that ended by itself is started again. One that was never ready since the agent's start is not: its
 * configuration or its machine is at fault, and the agent's exit code says so to whoever has just started it.
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
