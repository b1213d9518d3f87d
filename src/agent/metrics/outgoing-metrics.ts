import type { OutgoingObserver } from '../../identity/outgoing-observer.ts';
import type { Meters } from './meters.ts';

/** Counts requests to the certificate authority and to token services, by their kind. */
export function outgoingMetrics(meters: Meters): Required<OutgoingObserver> {
  return {
    requested: (type) => meters.count('num_outgoing_requests', { request_type: type }),
    retried: (type) => meters.count('num_outgoing_retries', { request_type: type }),
    failed: (type) => meters.count('num_failed_outgoing_requests', { request_type: type }),
    // A clock that was set back must not make a counter throw.
    finished: (type, ms) => meters.count('outgoing_latency', { request_type: type }, Math.max(0, ms)),
  };
}
