import { type MeshGauge, meshGauges } from '../../diagnostics/mesh-gauges.ts';

/** One metric that `meshd` exports. */
export interface ControlMetric {
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Every metric of `meshd` by name; those of the CA have Istio's names without its prefix. */
export const controlMetrics = {
  mesh_build: {
    type: 'gauge',
    help: 'Always 1; the labels name the program and its version.',
    labels: ['component', 'tag'],
  },
  ca_server_csr_count: { type: 'counter', help: 'Requests for certificates.' },
  ca_server_authentication_failure_count: { type: 'counter', help: 'Requests without a valid credential.' },
  meshd_token_reviews_count: {
    type: 'counter',
    help: 'Tokens that the API server was asked to verify, by outcome: accepted, refused, or failed (no usable answer; set an alarm on this).',
    labels: ['outcome'],
  },
  ca_server_csr_parsing_err_count: {
    type: 'counter',
    help: 'Signing requests that could not be parsed, or whose key or signature is too weak.',
  },
  ca_server_id_extraction_err_count: {
    type: 'counter',
    help: "Signing requests for another identity than the caller's.",
  },
  ca_server_csr_sign_err_count: { type: 'counter', help: 'Certificates that could not be signed.' },
  ca_server_success_cert_issuance_count: { type: 'counter', help: 'Certificates that were signed.' },
  ca_server_rate_limited_count: {
    type: 'counter',
    help: 'Requests that were refused because their identity sent too many, per second or at once.',
  },
  ca_server_authority_refused_count: {
    type: 'counter',
    help: "Changes of the CA's files that were rejected, and roots that could not be renewed; the previous ones stayed active.",
  },
  meshd_connections_refused_count: {
    type: 'counter',
    help: 'Connections that were closed: too many from one address (address), too many in all (total), or no TLS handshake in time (handshake).',
    labels: ['reason'],
  },
  meshd_dns_names: { type: 'gauge', help: 'Names of services that DNS answers for.' },
  meshd_dns_queries_count: {
    type: 'counter',
    help: 'Queries of DNS, by transport (udp, tcp, tls) and outcome: answered, missing (the mesh has no such name), refused (a name of others, or no proper query), failed (the names are not known yet), or limited (a source asked too often).',
    labels: ['transport', 'outcome'],
  },
  meshd_xds_streams: { type: 'gauge', help: 'Configuration streams of proxies that are open.' },
  meshd_xds_pushes_waiting: { type: 'gauge', help: 'Proxies whose changed configuration waits for its turn.' },
  meshd_xds_pushes_count: {
    type: 'counter',
    help: 'Responses with configuration that were sent, by resource type.',
    labels: ['type'],
  },
  meshd_xds_rejects_count: {
    type: 'counter',
    help: 'Responses that proxies refused, by resource type.',
    labels: ['type'],
  },
  meshd_compilations_count: { type: 'counter', help: 'Compilations of the mesh whose result is served.' },
  meshd_refused_inputs_count: {
    type: 'counter',
    help: 'Changes of the inputs that have errors or cannot be read; the last valid versions stayed active. Set an alarm on this.',
  },
  meshd_missing_destinations: {
    type: 'gauge',
    help: 'Destinations of VirtualServices that no service has: requests that are routed there get 503. Set an alarm on this.',
  },
  meshd_compile_restarts_count: {
    type: 'counter',
    help: 'Restarts of the compile thread after a fault or for lack of memory. Set an alarm on this.',
  },
  meshd_registry_objects: {
    type: 'gauge',
    help: 'Objects that were read from the cluster.',
    labels: ['kind', 'group'],
  },
  meshd_registry_held_objects: {
    type: 'gauge',
    help: 'Objects that stay active although the CustomResourceDefinition of their kind was deleted, until `meshd forget` removes them. Set an alarm on this.',
    labels: ['kind', 'group'],
  },
  meshd_registry_synced: {
    type: 'gauge',
    help: '1 once all objects of the kind have been read; 0 before.',
    labels: ['kind', 'group'],
  },
  meshd_registry_lag_seconds: {
    type: 'gauge',
    help: 'Seconds since the API server last sent anything for the kind, which it does at least once a minute. Set an alarm on this.',
    labels: ['kind', 'group'],
  },
  meshd_leader: {
    type: 'gauge',
    help: 'With --kubernetes: 1 at the replica that leads; 0 at the others. Set an alarm on a sum other than 1.',
  },
  meshd_revision_readable: {
    type: 'gauge',
    help: 'With --git: 1 if the last attempt to read the revision succeeded; 0 if it failed, and then the last commit that was read stays active. Set an alarm on 0.',
  },
  meshd_revision_commit_timestamp: {
    type: 'gauge',
    help: 'With --git: time of the last commit that was read, in seconds since 1970; the label is its id.',
    labels: ['commit'],
  },
  meshd_status_writes_count: {
    type: 'counter',
    help: 'Writes of the status of objects, by result: done, or failed (tried again later).',
    labels: ['result'],
  },
  sidecar_injection_requests_total: {
    type: 'counter',
    help: 'Requests to the injection webhook, one for each pod that is created.',
  },
  sidecar_injection_success_total: {
    type: 'counter',
    help: 'Pods that got a proxy, or have the one that they would get.',
  },
  sidecar_injection_skip_total: { type: 'counter', help: 'Pods that get no proxy.' },
  sidecar_injection_failure_total: {
    type: 'counter',
    help: "Pods that were refused because they can't get their proxy, and requests that could not be answered. Set an alarm on this.",
  },
  meshd_validations_count: {
    type: 'counter',
    help: 'Objects that an API server asked about before it stored them, by outcome: allowed, refused, or failed (no usable request, or a fault of meshd; set an alarm on this).',
    labels: ['outcome'],
  },
  total_active_connections: { type: 'gauge', help: 'Configuration streams of proxies that are open.' },
  total_pushes: { type: 'counter', help: 'Responses with configuration that were sent.' },
  total_push_errors: {
    type: 'counter',
    help: 'Responses with configuration whose stream ended before they were sent.',
  },
  total_stale_connections: {
    type: 'gauge',
    help: 'Open streams on which a response has had no ACK or NACK for 2.5 minutes or longer.',
  },
  total_secret_update_failures: { type: 'counter', help: 'Responses with secrets that proxies refused (NACK).' },
  pilot_total_rejected_configs: {
    type: 'counter',
    help: 'Objects of the inputs that are rejected or ignored; an object counts once, when that begins.',
    labels: ['type', 'name'],
  },
  pilot_jwks_resolver_network_fetch_success_total: {
    type: 'counter',
    help: 'Successful fetches of JWKS and discovery documents.',
  },
  pilot_jwks_resolver_network_fetch_fail_total: {
    type: 'counter',
    help: 'Failed fetches of JWKS and discovery documents.',
  },
  ...(Object.fromEntries(meshGauges.map(({ name, type, help }) => [name, { type, help }])) as Record<
    MeshGauge,
    { readonly type: 'gauge'; readonly help: string }
  >),
  meshd_trace_spans_sent_count: { type: 'counter', help: 'Spans of pushes that the receiver of traces accepted.' },
  meshd_trace_spans_lost_count: {
    type: 'counter',
    help: 'Spans of pushes that were dropped: too many waited, or the receiver of traces refused them.',
  },
  meshd_server_cert_expiry_timestamp: {
    type: 'gauge',
    help: "Time at which the TLS listener's certificate expires, in seconds since 1970.",
  },
  meshd_root_namespaces_pending: {
    type: 'gauge',
    help: 'Namespaces whose ConfigMap does not have the current roots of the mesh yet; 0 in a replica that does not lead. Set an alarm on this.',
  },
  ca_server_root_cert_expiry_timestamp: {
    type: 'gauge',
    help: 'Time at which the root expires, in seconds since 1970.',
  },
  ca_server_cert_chain_expiry_timestamp: {
    type: 'gauge',
    help: "Time at which the first certificate of the CA's chain, from the signing certificate to the root, expires, in seconds since 1970. Set an alarm on this.",
  },
} as const satisfies Readonly<Record<string, ControlMetric>>;

/** The names of the metrics of one type. */
export type ControlMetricName<T extends ControlMetric['type']> = {
  [N in keyof typeof controlMetrics]: (typeof controlMetrics)[N]['type'] extends T ? N : never;
}[keyof typeof controlMetrics];
