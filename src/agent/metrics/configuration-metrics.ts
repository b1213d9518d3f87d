import type { ConfigurationObserver } from '../discovery/observer.ts';
import type { Meters } from './meters.ts';

/** Shows the stream to the control plane; `read` is called before the metrics are shown. */
export function configurationMetrics(meters: Meters): {
  readonly observer: Required<ConfigurationObserver>;
  readonly read: () => void;
} {
  let readAge: () => number | undefined = () => undefined;
  return {
    observer: {
      connected: (isConnected) => meters.set('mesh_agent_discovery_connected', Number(isConnected)),
      refused: () => meters.count('mesh_agent_discovery_refusals_total'),
      watchAge: (read) => {
        readAge = read;
      },
    },
    read: () => {
      const seconds = readAge();
      if (seconds !== undefined) meters.set('mesh_agent_discovery_age_seconds', seconds);
    },
  };
}
