import type { ReloadObserver } from '../reload/observer.ts';
import type { Meters } from './meters.ts';
import type { RejectedConfigs } from './rejected-configs.ts';

/** Counts reloads, and the objects that are at fault when one is not taken over. `now` is milliseconds since 1970. */
export function reloadMetrics(meters: Meters, rejected: RejectedConfigs, now: () => number = Date.now): ReloadObserver {
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
