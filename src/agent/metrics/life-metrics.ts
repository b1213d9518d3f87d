import type { LifeObserver } from '../life/observer.ts';
import type { AgentState } from '../life/state.ts';
import type { Meters } from './meters.ts';

/** Shows the state that the agent is in, and counts the Envoys that it started again. */
export function lifeMetrics(meters: Meters): LifeObserver {
  let current: AgentState | undefined;
  return {
    moved: (state) => {
      if (current !== undefined) meters.remove('mesh_agent_state', { state: current });
      meters.set('mesh_agent_state', 1, { state });
      current = state;
    },
    envoyRestarted: () => meters.count('mesh_agent_envoy_restarts_total'),
    drained: (ms) => meters.set('mesh_agent_drain_seconds', ms / 1000),
  };
}
