/** A bootstrap override that must be refused: its text, the line that is to blame, and the reason. */
export interface BadOverride {
  readonly name: string;
  readonly text: string;
  /** `line:` where the fault is told. */
  readonly line: number;
  readonly reason: RegExp;
}

const bad = (name: string, line: number, reason: RegExp, text: string): BadOverride => ({ name, line, reason, text });

const cluster = (name: string): string => `static_resources:
  clusters:
  - name: ${name}
    connect_timeout: 1s
`;

/** A listener for everybody that leads to a cluster. */
const door = (match: string, to = 'prometheus_stats'): string => `static_resources:
  listeners:
  - name: door
    address: {socket_address: {address: 0.0.0.0, port_value: 17000}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: door
          http_filters: [{name: router, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}}]
          route_config: {virtual_hosts: [{name: door, domains: ["*"], routes: [{match: ${match},
            route: {cluster: ${to}}}]}]}
`;

/** Refused before Envoy sees them. */
export const badOverrides: readonly BadOverride[] = [
  bad('half-written JSON', 2, /expected|flow|"}"|,/i, '{"stats_flush_interval": "1s",\n'),
  bad('a tab in the indentation', 2, /tab/i, 'node:\n\tid: x\n'),
  bad('nothing', 1, /it is empty/, '# later\n'),
  bad('a list', 1, /object|list|mapping/, '- node\n'),
  bad('two documents', 3, /second document/, 'node: {cluster: a}\n---\nnode: {cluster: b}\n'),
  bad('a key twice', 2, /key|twice|duplicate/i, 'node: {cluster: a}\nnode: {cluster: b}\n'),
  bad('a field that Envoy does not have', 1, /unknown field "static_resource"/, 'static_resource: {}\n'),
  bad(
    'a field of another API version',
    4,
    /unknown field "hosts"/,
    `${cluster('a').replace('connect_timeout', 'hosts')}`,
  ),
  bad('a text for a number', 2, /expected a number|integer|found/i, 'admin:\n  profile_path: 5\n'),
  bad('a duration without a unit', 1, /duration|"5s"|expected/i, 'stats_flush_interval: 5\n'),
  bad('an unknown enum value', 4, /NO_SUCH/, `${cluster('a').replace('connect_timeout: 1s', 'type: NO_SUCH')}`),
  bad(
    'a value out of its range',
    6,
    /does not fit/,
    `${cluster('a')}    lb_policy: MAGLEV\n    max_requests_per_connection: -1\n`,
  ),
  bad(
    'an extension that a stock Envoy lacks',
    3,
    /no extension or resource|unknown/i,
    `tracing:
  http: {name: lightstep, typed_config: {
    "@type": type.googleapis.com/envoy.config.trace.v3.LightstepConfig, collector_cluster: agent}}
`,
  ),
  bad(
    'a typed_config without a type',
    3,
    /must name the type/,
    `stats_sinks:
- name: envoy.stat_sinks.statsd
  typed_config: {address: {}}
`,
  ),
  bad(
    'an unknown field inside a typed_config',
    5,
    /unknown field "adress"/,
    `stats_sinks:
- name: envoy.stat_sinks.statsd
  typed_config:
    "@type": type.googleapis.com/envoy.config.metrics.v3.StatsdSink
    adress: {socket_address: {address: 127.0.0.1, port_value: 8125}}
`,
  ),
  bad(
    'two members of a oneof',
    3,
    /only one of/,
    `admin:
  address:
    pipe: {path: /tmp/admin.sock}
    socket_address: {address: 127.0.0.1, port_value: 15000}
`,
  ),
  bad('a field in two spellings', 2, /two spellings/, 'static_resources: {}\nstaticResources: {}\n'),
  bad('a cluster of a name that is taken', 3, /two clusters named "sds-grpc"/, cluster('sds-grpc')),
  bad(
    'a listener of a name that is taken',
    3,
    /two listeners named "0\.0\.0\.0_15021"/,
    `static_resources:
  listeners:
  - name: 0.0.0.0_15021
    address: {socket_address: {address: 127.0.0.1, port_value: 15999}}
`,
  ),
  bad(
    'a name of a cluster that does not exist',
    7,
    /names the cluster "nowhere"/,
    `stats_sinks:
- name: envoy.stat_sinks.metrics_service
  typed_config:
    "@type": type.googleapis.com/envoy.config.metrics.v3.MetricsServiceConfig
    transport_api_version: V3
    grpc_service:
      envoy_grpc: {cluster_name: nowhere}
`,
  ),
  bad(
    'an admin interface for everybody',
    3,
    /the admin interface is at "0\.0\.0\.0"|moves admin\.address/,
    `admin:
  address:
    socket_address: {address: 0.0.0.0, port_value: 15000}
`,
  ),
  bad(
    'an admin interface at another port',
    3,
    /moves admin\.address/,
    `admin:
  address:
    socket_address: {address: 127.0.0.1, port_value: 15999}
`,
  ),
  bad(
    'an admin interface on a socket',
    3,
    /moves admin\.address/,
    `admin:
  address:
    pipe: {path: /tmp/admin.sock}
`,
  ),
  bad(
    'listeners from another file',
    4,
    /listeners\.json|moves dynamic_resources\.lds_config/,
    `dynamic_resources:
  lds_config:
    path_config_source:
      path: /tmp/listeners.json
`,
  ),
  bad(
    'clusters from a control plane',
    3,
    /moves dynamic_resources\.cds_config|path is absent/,
    `dynamic_resources:
  cds_config:
    ads: {}
`,
  ),
  bad('a door to the admin interface', 13, /leads everybody to "prometheus_stats"/, door('{prefix: /}')),
  bad('a door to the agent for all paths below', 13, /leads everybody to "agent"/, door('{prefix: /healthz}', 'agent')),
  bad(
    'no statistics',
    3,
    /needs statistics that it hides/,
    `stats_config:
  stats_matcher:
    reject_all: true
`,
  ),
  bad(
    'statistics without the versions',
    3,
    /hides: .*version_text/,
    `stats_config:
  stats_matcher:
    exclusion_list: {patterns: [{suffix: version_text}]}
`,
  ),
];

/** What only Envoy itself can see; it says no with `--mode validate`, before one is started to serve. */
export const refusedByEnvoy: readonly { readonly name: string; readonly text: string; readonly reason: RegExp }[] = [
  {
    name: 'a runtime layer of a name that is taken',
    text: 'layered_runtime: {layers: [{name: static, static_layer: {}}]}\n',
    reason: /[Dd]uplicate layer name/,
  },
  {
    name: 'a regular expression that is none',
    text: 'stats_config: {stats_tags: [{tag_name: x, regex: "(("}]}\n',
    reason: /regex|missing/i,
  },
];
