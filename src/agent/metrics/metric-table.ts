import { meshGauges } from '../../diagnostics/mesh-gauges.ts';
import { upstreams } from '../../dns/observer.ts';
import { refusalReasons } from '../reload/observer.ts';

/** One metric that the agent exports. Names without `mesh_agent_` are the specification's. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  /** Label to its values, which start at 0; an empty list for values that only events tell. */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}

const requestType = { request_type: ['csr', 'token_exchange'] } as const;

/** The other metrics of the specification. */
const eventMetrics = [
  {
    name: 'mesh_build',
    type: 'gauge',
    help: 'Always 1; the labels name program and version.',
    labels: { component: [], tag: [] },
  },
  {
    name: 'num_failed_outgoing_requests',
    type: 'counter',
    help: 'Requests to the CA and to token services that failed after all attempts.',
    labels: requestType,
  },
  {
    name: 'num_outgoing_requests',
    type: 'counter',
    help: 'Requests to the CA and to token services; several attempts count once.',
    labels: requestType,
  },
  {
    name: 'num_outgoing_retries',
    type: 'counter',
    help: 'Retries of requests to the CA and to token services.',
    labels: requestType,
  },
  {
    name: 'outgoing_latency',
    type: 'counter',
    help: 'Total duration of requests to the CA and to token services, in milliseconds, including retries.',
    labels: requestType,
  },
  {
    name: 'pilot_jwks_resolver_network_fetch_fail_total',
    type: 'counter',
    help: 'Failed fetches of JWKS and discovery documents.',
  },
  {
    name: 'pilot_jwks_resolver_network_fetch_success_total',
    type: 'counter',
    help: 'Successful fetches of JWKS and discovery documents.',
  },
  {
    name: 'pilot_total_rejected_configs',
    type: 'counter',
    help: 'Objects of the inputs that were rejected or left out; counted once, when that begins.',
    labels: { type: [], name: [] },
  },
  { name: 'total_active_connections', type: 'gauge', help: 'Open SDS streams.' },
  { name: 'total_push_errors', type: 'counter', help: 'Secrets that could not be sent over SDS.' },
  { name: 'total_pushes', type: 'counter', help: 'Secrets sent over SDS, first ones and renewals.' },
  { name: 'total_secret_update_failures', type: 'counter', help: 'Secrets that Envoy rejected (NACK).' },
  {
    name: 'total_stale_connections',
    type: 'gauge',
    help: 'Open SDS streams on which a response is unacknowledged for half of STALED_CONNECTION_RECYCLE_RUN_INTERVAL or longer.',
  },
] as const satisfies readonly Metric[];

/** The agent's own. */
const agentMetrics = [
  {
    name: 'mesh_agent_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'Expiry time of a certificate in use, in seconds since 1970.',
    labels: { resource_name: [] },
  },
  { name: 'mesh_agent_changes_total', type: 'counter', help: 'Detected changes of input files.' },
  { name: 'mesh_agent_compilations_total', type: 'counter', help: 'Compilations of changed inputs.' },
  {
    name: 'mesh_agent_config_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'Time at which a change was last applied, in seconds since 1970; 0 before the first one.',
  },
  {
    name: 'mesh_agent_discovery_age_seconds',
    type: 'gauge',
    help: 'Time since the control plane last confirmed the configuration in use; 0 while it is connected; absent without one.',
  },
  {
    name: 'mesh_agent_discovery_connected',
    type: 'gauge',
    help: 'Whether the control plane is connected and has sent everything, 0 or 1.',
  },
  {
    name: 'mesh_agent_discovery_refusals_total',
    type: 'counter',
    help: 'Responses of the control plane that Envoy rejected (NACK).',
  },
  {
    name: 'mesh_agent_dns_failures_total',
    type: 'counter',
    help: 'DNS queries of the workload that got SERVFAIL because no server could be reached.',
  },
  { name: 'mesh_agent_dns_requests_total', type: 'counter', help: 'DNS queries of the workload.' },
  {
    name: 'mesh_agent_dns_tls_pending',
    type: 'gauge',
    help: "DNS queries that are waiting for the mesh's DNS server.",
  },
  {
    name: 'mesh_agent_dns_upstream_failures_total',
    type: 'counter',
    help: 'Queries to a DNS server without a response.',
    labels: { upstream: upstreams },
  },
  {
    name: 'mesh_agent_dns_upstream_requests_total',
    type: 'counter',
    help: "Queries to a DNS server: plain is a server of the system, tls the mesh's DNS server.",
    labels: { upstream: upstreams },
  },
  {
    name: 'mesh_agent_dns_upstream_seconds_total',
    type: 'counter',
    help: 'Total time until DNS servers responded, in seconds.',
    labels: { upstream: upstreams },
  },
  {
    name: 'mesh_agent_drain_seconds',
    type: 'gauge',
    help: 'Duration of the last drain, from the call to Envoy until its SIGTERM; 0 before the first one.',
  },
  { name: 'mesh_agent_envoy_restarts_total', type: 'counter', help: 'Restarts of Envoy.' },
  {
    name: 'mesh_agent_event_loop_lag_seconds',
    type: 'gauge',
    help: "Delay of the agent's event loop, measured during this scrape.",
  },
  {
    name: 'mesh_agent_event_loop_utilization',
    type: 'gauge',
    help: 'Share of the time since the last scrape in which the event loop was busy, 0 to 1.',
  },
  {
    name: 'mesh_agent_identity_expired',
    type: 'gauge',
    help: "1 if the workload's certificate, or the last root certificate of the mesh, has expired.",
  },
  {
    name: 'mesh_agent_log_lines_lost_total',
    type: 'counter',
    help: 'Log lines that could not be written to a target.',
  },
  {
    name: 'mesh_agent_objects_held',
    type: 'gauge',
    help: 'Objects whose last valid version stays active because their current one is invalid.',
  },
  { name: 'mesh_agent_process_cpu_seconds_total', type: 'counter', help: 'CPU time of the agent, without Envoy.' },
  { name: 'mesh_agent_process_heap_bytes', type: 'gauge', help: 'Size of the JavaScript heap in use.' },
  { name: 'mesh_agent_process_resident_memory_bytes', type: 'gauge', help: 'Resident memory of the agent.' },
  {
    name: 'mesh_agent_process_start_time_seconds',
    type: 'gauge',
    help: 'When the agent was started, in seconds since 1970.',
  },
  {
    name: 'mesh_agent_reload_failures_total',
    type: 'counter',
    help: 'Configuration changes that were not applied.',
    labels: { reason: refusalReasons },
  },
  {
    name: 'mesh_agent_reload_seconds_total',
    type: 'counter',
    help: 'Total time from the detection of a change until it is active, of all reloads.',
  },
  { name: 'mesh_agent_reloads_total', type: 'counter', help: 'Configuration changes that became active.' },
  {
    name: 'mesh_agent_scrape_failures_total',
    type: 'counter',
    help: 'Parts that were missing in merged metrics.',
    labels: { type: ['agent', 'application', 'envoy'] },
  },
  { name: 'mesh_agent_scrapes_total', type: 'counter', help: 'Scrapes of the merged metrics.' },
  {
    name: 'mesh_agent_state',
    type: 'gauge',
    help: '1 for the current state of the agent.',
    labels: { state: [] },
  },
] as const satisfies readonly Metric[];

/** Every metric that the agent exports, each moved by an event of its own. */
export const metricTable = [...meshGauges, ...eventMetrics, ...agentMetrics] as const;

type Entry = (typeof metricTable)[number];
export type CounterName = Extract<Entry, { readonly type: 'counter' }>['name'];
export type GaugeName = Extract<Entry, { readonly type: 'gauge' }>['name'];
