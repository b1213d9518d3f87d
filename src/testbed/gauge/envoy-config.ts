import { type ConfigParts, staticForm } from '../../envoy/static-form.ts';
import type { WorkloadCertificate } from '../authority.ts';

type Json = Record<string, unknown>;

/** A workload whose inbound listener is under test. */
export interface GaugedWorkload {
  readonly address: string;
  readonly config: ConfigParts;
}

/** The files of the sandbox that Envoy writes and reads, relative to its working directory. */
export const files = { echo: 'echo.sock', accessLog: 'access.log' } as const;

export const firstPort = 20_000;

/**
 * One bootstrap with the inbound listener of each workload on a port of its own. What differs from the compiled form:
 * name and port of the listeners, secrets that stand there, every cluster is the echo, the access logs, and how long the
 * inspectors wait for a client's first bytes: a busy machine sends them late.
 */
export function gaugeBootstrap(workloads: readonly GaugedWorkload[], server: WorkloadCertificate): object {
  const forms = workloads.map(({ config }, i) => inboundForm(config, i));
  const clusters = new Map(forms.flatMap(({ clusters: all }) => all.map((name) => [name, echoCluster(name)])));
  return {
    node: { id: 'gauge', cluster: 'gauge' },
    static_resources: {
      listeners: [...forms.map(({ listener }) => listener), echoListener()],
      clusters: [...clusters.values()],
      secrets: [
        {
          name: 'default',
          tls_certificate: {
            certificate_chain: { inline_string: server.certificateChain },
            private_key: { inline_string: server.privateKey },
          },
        },
        { name: 'ROOTCA', validation_context: { trusted_ca: { inline_string: server.rootCertificate } } },
      ],
    },
  };
}

function inboundForm(config: ConfigParts, index: number): { readonly listener: Json; readonly clusters: string[] } {
  const { static_resources } = staticForm(config) as unknown as {
    static_resources: { listeners: Json[]; clusters: { name: string }[] };
  };
  const inbound = static_resources.listeners.find(({ name }) => name === 'virtualInbound');
  if (inbound === undefined) throw new Error('the workload has no inbound listener');
  const listener = edited(inbound) as Json;
  const address = { socket_address: { address: '0.0.0.0', port_value: firstPort + index } };
  return {
    listener: {
      ...listener,
      name: `gauge-${index}`,
      address,
      listener_filters_timeout: '60s',
      access_log: [accessLog(connectionFields)],
    },
    clusters: static_resources.clusters
      .map(({ name }) => name)
      .filter((name) => /^inbound|^Inbound|^BlackHole/.test(name)),
  };
}

/** Secrets are the ones that stand in the bootstrap, and each connection manager tells of its requests. */
function edited(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(edited);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Json).filter(([key]) => key !== 'sds_config');
  const copy: Json = Object.fromEntries(entries.map(([key, member]) => [key, edited(member)]));
  if (String(copy['@type']).endsWith('HttpConnectionManager')) {
    copy.access_log = [accessLog(requestFields)];
    delete copy.tracing;
  }
  if (String(copy['@type']).endsWith('TcpProxy')) delete copy.access_log;
  return copy;
}

/** Both ends of the client's connection: who joins the log with what was sent knows them. */
const ends = { peer: '%DOWNSTREAM_DIRECT_REMOTE_ADDRESS%', local: '%DOWNSTREAM_LOCAL_ADDRESS%' };

const requestFields = {
  kind: 'request',
  ...ends,
  status: '%RESPONSE_CODE%',
  details: '%RESPONSE_CODE_DETAILS%',
  chain: '%FILTER_CHAIN_NAME%',
  route: '%ROUTE_NAME%',
  cluster: '%UPSTREAM_CLUSTER_RAW%',
};

const connectionFields = {
  kind: 'connection',
  ...ends,
  cluster: '%UPSTREAM_CLUSTER_RAW%',
  details: '%CONNECTION_TERMINATION_DETAILS%',
  chain: '%FILTER_CHAIN_NAME%',
  failure: '%DOWNSTREAM_TRANSPORT_FAILURE_REASON%',
};

function accessLog(fields: object): object {
  return {
    name: 'envoy.access_loggers.file',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog',
      path: files.accessLog,
      log_format: { json_format: fields },
    },
  };
}

function echoCluster(name: string): object {
  const endpoint = { address: { pipe: { path: files.echo } } };
  return {
    name,
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  };
}

/** Answers 200 and says what it saw. */
function echoListener(): object {
  const header = (key: string, value: string): object => ({ header: { key, value } });
  return {
    name: 'echo',
    address: { pipe: { path: files.echo } },
    filter_chains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typed_config: {
              '@type':
                'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
              stat_prefix: 'echo',
              normalize_path: false,
              http_filters: [
                {
                  name: 'envoy.filters.http.router',
                  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
                },
              ],
              route_config: {
                name: 'echo',
                response_headers_to_add: [
                  header('x-saw-path', '%REQ(:PATH)%'),
                  header('x-saw-host', '%REQ(:AUTHORITY)%'),
                ],
                virtual_hosts: [
                  {
                    name: 'echo',
                    domains: ['*'],
                    routes: [{ match: { prefix: '' }, direct_response: { status: 200 } }],
                  },
                ],
              },
            },
          },
        ],
      },
    ],
  };
}
