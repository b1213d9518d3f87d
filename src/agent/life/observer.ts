import type { AgentState } from './state.ts';

/** Told of the agent's life as it happens; metrics are made of it. Calls neither throw nor take time. */
export interface LifeObserver {
  /** The state machine moved on. */
  moved(state: AgentState): void;
  /** Envoy ended by itself, with this code (128 and the number after a signal), and is started again. */
  envoyRestarted(code: number): void;
  /** A drain took so many milliseconds, from the call to Envoy until its SIGTERM may come. */
  drained(ms: number): void;
}
