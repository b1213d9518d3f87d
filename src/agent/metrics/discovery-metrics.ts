import type { DiscoveryObserver } from '../../xds/session.ts';
import type { Meters } from './meters.ts';

/** Counts what the secret server hears of its streams. */
export function discoveryMetrics(meters: Meters): DiscoveryObserver {
  return {
    opened: () => meters.add('total_active_connections', 1),
    closed: () => meters.add('total_active_connections', -1),
    pushed: () => meters.count('total_pushes'),
    pushFailed: () => meters.count('total_push_errors'),
    refused: () => meters.count('total_secret_update_failures'),
    wentStale: () => meters.add('total_stale_connections', 1),
    recycled: () => meters.add('total_stale_connections', -1),
  };
}
