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

/** What the last compilation found in the inputs: the specification's gauges of the mesh. */
const meshMetrics = [
  { name: 'endpoint_no_pod', type: 'gauge', help: 'Endpoints of services that no known pod has.' },
  {
    name: 'pilot_conflict_inbound_listener',
    type: 'gauge',
    help: 'Service ports that are delivered to a container port which speaks another protocol for an older service.',
  },
  {
    name: 'pilot_conflict_outbound_listener_http_over_current_tcp',
    type: 'gauge',
    help: 'Outbound listeners whose HTTP traffic lost to the TCP traffic of an older service.',
  },
  {
    name: 'pilot_conflict_outbound_listener_tcp_over_current_http',
    type: 'gauge',
    help: 'Outbound listeners whose TCP traffic lost to the HTTP traffic of an older service.',
  },
  {
    name: 'pilot_conflict_outbound_listener_tcp_over_current_tcp',
    type: 'gauge',
    help: 'Outbound listeners whose TCP traffic lost to the TCP traffic of an older service.',
  },
  {
    name: 'pilot_destrule_subsets',
    type: 'gauge',
    help: 'Subsets of destination rules that another rule of the same host defines too.',
  },
  { name: 'pilot_duplicate_envoy_clusters', type: 'gauge', help: 'Clusters that were made twice under one name.' },
  { name: 'pilot_eds_no_instances', type: 'gauge', help: 'Clusters without any endpoint.' },
  { name: 'pilot_endpoint_not_ready', type: 'gauge', help: 'Endpoints that are left out because they are not ready.' },
  { name: 'pilot_no_ip', type: 'gauge', help: 'Pods that have no address yet.' },
  { name: 'pilot_virt_services', type: 'gauge', help: 'Virtual services in the inputs.' },
  {
    name: 'pilot_vservice_dup_domain',
    type: 'gauge',
    help: 'Domains that a virtual service lost because an older one has them.',
  },
] as const satisfies readonly Metric[];

/** The other metrics of the specification. */
const eventMetrics = [
  {
    name: 'mesh_build',
    type: 'gauge',
    help: 'Always 1; the labels say which program this is.',
    labels: { component: [], tag: [] },
  },
  {
    name: 'num_failed_outgoing_requests',
    type: 'counter',
    help: 'Requests to the certificate authority and to token services that were given up.',
    labels: requestType,
  },
  {
    name: 'num_outgoing_requests',
    type: 'counter',
    help: 'Requests to the certificate authority and to token services, however many attempts each took.',
    labels: requestType,
  },
  {
    name: 'num_outgoing_retries',
    type: 'counter',
    help: 'Further attempts of such requests.',
    labels: requestType,
  },
  {
    name: 'outgoing_latency',
    type: 'counter',
    help: 'Milliseconds that such requests took, with all their attempts.',
    labels: requestType,
  },
  {
    name: 'pilot_jwks_resolver_network_fetch_fail_total',
    type: 'counter',
    help: 'Key sets and discovery documents that could not be fetched.',
  },
  {
    name: 'pilot_jwks_resolver_network_fetch_success_total',
    type: 'counter',
    help: 'Key sets and discovery documents that were fetched.',
  },
  {
    name: 'pilot_total_rejected_configs',
    type: 'counter',
    help: 'Objects of the inputs that were rejected or left out, counted when that begins.',
    labels: { type: [], name: [] },
  },
  { name: 'total_active_connections', type: 'gauge', help: 'Streams that ask for secrets now.' },
  { name: 'total_push_errors', type: 'counter', help: 'Secrets that could not be sent.' },
  { name: 'total_pushes', type: 'counter', help: 'Secrets sent, at first and at each renewal.' },
  { name: 'total_secret_update_failures', type: 'counter', help: 'Secrets that Envoy refused.' },
  {
    name: 'total_stale_connections',
    type: 'gauge',
    help: 'Streams for secrets whose clients do not answer, and which are not given up yet.',
  },
] as const satisfies readonly Metric[];

/** The agent's own. */
const agentMetrics = [
  {
    name: 'mesh_agent_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When a certificate in service ends, in seconds since 1970.',
    labels: { resource_name: [] },
  },
  { name: 'mesh_agent_changes_total', type: 'counter', help: 'Files of the inputs that were seen to differ.' },
  { name: 'mesh_agent_compilations_total', type: 'counter', help: 'Compilations of changed inputs.' },
  {
    name: 'mesh_agent_config_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When a change last came into force, in seconds since 1970; 0 before the first one.',
  },
  {
    name: 'mesh_agent_dns_failures_total',
    type: 'counter',
    help: 'DNS queries of the workload that were answered SERVFAIL because no server could be asked.',
  },
  { name: 'mesh_agent_dns_requests_total', type: 'counter', help: 'DNS queries of the workload.' },
  {
    name: 'mesh_agent_dns_tls_pending',
    type: 'gauge',
    help: "DNS queries that wait for the mesh's server now.",
  },
  {
    name: 'mesh_agent_dns_upstream_failures_total',
    type: 'counter',
    help: 'Attempts to ask a DNS server that brought no answer.',
    labels: { upstream: upstreams },
  },
  {
    name: 'mesh_agent_dns_upstream_requests_total',
    type: 'counter',
    help: "Attempts to ask a DNS server: one of the system's in the clear, or the mesh's over TLS.",
    labels: { upstream: upstreams },
  },
  {
    name: 'mesh_agent_dns_upstream_seconds_total',
    type: 'counter',
    help: 'Time that answers of DNS servers took, of all attempts that brought one.',
    labels: { upstream: upstreams },
  },
  {
    name: 'mesh_agent_drain_seconds',
    type: 'gauge',
    help: 'How long the last drain took, from the call to Envoy until its SIGTERM; 0 before the first one.',
  },
  { name: 'mesh_agent_envoy_restarts_total', type: 'counter', help: 'Envoys started again after the first one.' },
  {
    name: 'mesh_agent_event_loop_lag_seconds',
    type: 'gauge',
    help: 'How late the agent came to an event while it answered this scrape.',
  },
  {
    name: 'mesh_agent_event_loop_utilization',
    type: 'gauge',
    help: 'Share of time in which the agent was busy since the last scrape, 0 to 1.',
  },
  {
    name: 'mesh_agent_identity_expired',
    type: 'gauge',
    help: "1 while the workload's certificate, or the last root of the mesh, is past its end.",
  },
  { name: 'mesh_agent_log_lines_lost_total', type: 'counter', help: 'Lines that a log target did not take.' },
  { name: 'mesh_agent_objects_held', type: 'gauge', help: 'Objects whose last good version stays in force.' },
  { name: 'mesh_agent_process_cpu_seconds_total', type: 'counter', help: 'Processor time of the agent, Envoy apart.' },
  { name: 'mesh_agent_process_heap_bytes', type: 'gauge', help: "JavaScript's heap in use." },
  { name: 'mesh_agent_process_resident_memory_bytes', type: 'gauge', help: 'Resident memory of the agent.' },
  {
    name: 'mesh_agent_process_start_time_seconds',
    type: 'gauge',
    help: 'When the agent was started, in seconds since 1970.',
  },
  {
    name: 'mesh_agent_reload_failures_total',
    type: 'counter',
    help: 'Changes that were not taken over.',
    labels: { reason: refusalReasons },
  },
  {
    name: 'mesh_agent_reload_seconds_total',
    type: 'counter',
    help: 'Time from the first file seen to differ to its change in force, of all reloads.',
  },
  { name: 'mesh_agent_reloads_total', type: 'counter', help: 'Changes that came into force.' },
  {
    name: 'mesh_agent_scrape_failures_total',
    type: 'counter',
    help: 'Parts that were missing when metrics were merged.',
    labels: { type: ['agent', 'application', 'envoy'] },
  },
  { name: 'mesh_agent_scrapes_total', type: 'counter', help: 'Scrapes of the merged metrics.' },
  {
    name: 'mesh_agent_state',
    type: 'gauge',
    help: '1 at the state that the agent is in.',
    labels: { state: [] },
  },
] as const satisfies readonly Metric[];

/** Every metric that the agent exports, each moved by an event of its own. */
export const metricTable = [...meshMetrics, ...eventMetrics, ...agentMetrics] as const;

type Entry = (typeof metricTable)[number];
/** Gauges that each compilation sets anew. */
export type MeshGauge = (typeof meshMetrics)[number]['name'];
export type CounterName = Extract<Entry, { readonly type: 'counter' }>['name'];
export type GaugeName = Extract<Entry, { readonly type: 'gauge' }>['name'];
