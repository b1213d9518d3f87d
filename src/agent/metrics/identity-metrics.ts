import type { OutgoingObserver } from '../../lib/outgoing-observer.ts';
import type { DiscoveryObserver } from '../../xds/observer.ts';
import type { CertificateObserver } from '../secrets/certificate-observer.ts';
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
    noLongerStale: () => meters.add('total_stale_connections', -1),
  };
}

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

/** Shows when the certificates in force end, and whether the identity has. */
export function certificateMetrics(meters: Meters): Required<CertificateObserver> {
  return {
    inForce: (resourceName, notAfterMs) => {
      const labels = { resource_name: resourceName };
      meters.set('mesh_agent_certificate_expiry_timestamp_seconds', notAfterMs / 1000, labels);
    },
    expired: (isExpired) => meters.set('mesh_agent_identity_expired', Number(isExpired)),
  };
}
