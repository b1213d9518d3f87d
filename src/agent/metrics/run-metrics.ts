import type { RejectedObjects } from '../../diagnostics/rejected-objects.ts';
import type { LifeObserver } from '../life/observer.ts';
import type { AgentState } from '../life/state.ts';
import type { ReloadObserver } from '../reload/observer.ts';
import type { ScrapeObserver } from '../status/observer.ts';
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

/** Counts reloads, and the objects that are at fault when one is not taken over. `now` is milliseconds since 1970. */
export function reloadMetrics(meters: Meters, rejected: RejectedObjects, now: () => number = Date.now): ReloadObserver {
  return {
    debounced: (files) => meters.count('mesh_agent_changes_total', {}, files),
    started: () => meters.count('mesh_agent_compilations_total'),
    inForce: (ms) => {
      meters.count('mesh_agent_reloads_total');
      meters.count('mesh_agent_reload_seconds_total', {}, Math.max(0, ms) / 1000);
      meters.set('mesh_agent_config_last_success_timestamp_seconds', now() / 1000);
    },
    refused: (reason, objects) => {
      meters.count('mesh_agent_reload_failures_total', { reason });
      rejected.replace('reload', objects);
    },
    held: (objects) => {
      meters.set('mesh_agent_objects_held', objects.length);
      rejected.replace('reload', objects);
    },
  };
}

/** Counts scrapes of the merged metrics, and the parts that were missing in them. */
export function scrapeMetrics(meters: Meters): ScrapeObserver {
  return {
    scraped: () => meters.count('mesh_agent_scrapes_total'),
    failed: (type) => meters.count('mesh_agent_scrape_failures_total', { type }),
  };
}
