import type { DnsObserver } from '../../dns/observer.ts';
import type { Meters } from './meters.ts';

/** Counts what the workload asks of DNS, and what comes of it. */
export function dnsMetrics(meters: Meters): DnsObserver {
  return {
    requested: () => meters.count('mesh_agent_dns_requests_total'),
    failed: () => meters.count('mesh_agent_dns_failures_total'),
    asked: (upstream) => meters.count('mesh_agent_dns_upstream_requests_total', { upstream }),
    missed: (upstream) => meters.count('mesh_agent_dns_upstream_failures_total', { upstream }),
    answered: (upstream, ms) =>
      meters.count('mesh_agent_dns_upstream_seconds_total', { upstream }, Math.max(0, ms) / 1000),
    pending: (count) => meters.set('mesh_agent_dns_tls_pending', count),
  };
}
