/** Where the agent is in its life. `backing-off`: Envoy ended by itself and is started again after a while. */
export type AgentState =
  | 'init'
  | 'configuring'
  | 'starting'
  | 'running'
  | 'backing-off'
  | 'draining'
  | 'stopping'
  | 'exited';

const next: Readonly<Record<AgentState, readonly AgentState[]>> = {
  init: ['configuring', 'exited'],
  configuring: ['starting', 'exited'],
  starting: ['running', 'backing-off', 'stopping', 'exited'],
  running: ['draining', 'stopping', 'backing-off', 'exited'],
  'backing-off': ['starting', 'exited'],
  draining: ['stopping', 'exited'],
  stopping: ['exited'],
  exited: [],
};

/** Holds the state, and lets it move only as the table says. */
export class AgentLife {
  #state: AgentState = 'init';
  readonly #onChange: (state: AgentState) => void;

  constructor(onChange: (state: AgentState) => void) {
    this.#onChange = onChange;
  }

  get state(): AgentState {
    return this.#state;
  }

  /** Moves on; a move that the table does not have is a bug. */
  moveTo(state: AgentState): void {
    if (!next[this.#state].includes(state)) throw new Error(`the agent cannot go from ${this.#state} to ${state}`);
    this.#state = state;
    this.#onChange(state);
  }
}
