import { type ConfigParts, staticForm } from '../../envoy/static-form.ts';
import type { WorkloadCertificate } from '../authority.ts';

type Json = Record<string, unknown>;

/** A workload whose listeners are under test: the inbound one of a sidecar, or all of a gateway. */
export interface GaugedWorkload {
  readonly address: string;
  readonly role: 'sidecar' | 'gateway';
  readonly config: ConfigParts;
}

/** Certificates of the gauge's Envoy. */
export interface GaugeSecrets {
  readonly server: WorkloadCertificate;
  /** Root of an authority that has signed no client's certificate. */
  readonly strangeRoot: string;
}

/** The listener on a port of the gauge has the connections to an address, or to one port of it. */
export interface Redirect {
  readonly address: string;
  readonly from?: number;
  readonly port: number;
}

/** The files of the sandbox that Envoy writes and reads, relative to its working directory. */
export const files = { echo: 'echo.sock', accessLog: 'access.log' } as const;

/** Headers of which the echo says what it saw. */
export const sawHeaders = [
  'x-team',
  'x-role',
  'x-own',
  'x-to',
  'x-forwarded-host',
  'x-payload',
  'x-forwarded-for',
  'x-forwarded-proto',
] as const;

export const firstPort = 20_000;

/**
 * One bootstrap with each listener of each workload on a port of its own, and which connections it has. What differs from the compiled form:
 * name and port of the listeners, secrets that stand there, every cluster is the echo, the access logs, and how long the
 * inspectors wait for a client's first bytes: a busy machine sends them late.
 */
export function gaugeBootstrap(
  workloads: readonly GaugedWorkload[],
  { server, strangeRoot }: GaugeSecrets,
): { readonly bootstrap: object; readonly redirects: readonly Redirect[] } {
  const certificate = {
    certificate_chain: { inline_string: server.certificateChain },
    private_key: { inline_string: server.privateKey },
  };
  const editor = new Editor({
    tls_certificates: () => [certificate],
    trusted_ca: () => ({ inline_string: strangeRoot }),
    sds_config: () => undefined,
  });
  const found = workloads.flatMap((workload) => listenersOf(workload));
  const redirects = found.map(({ address, from }, i) => ({
    address,
    ...(from !== undefined && { from }),
    port: firstPort + i,
  }));
  const listeners = found.map(({ listener }, i) => listenerForm(editor.edited(listener) as Json, i));
  const clusters = new Map(
    workloads.flatMap(({ config }) => config.clusters.map(({ name }) => [name, echoCluster(String(name))])),
  );
  const bootstrap = {
    node: { id: 'gauge', cluster: 'gauge' },
    static_resources: {
      listeners: [...listeners, echoListener()],
      clusters: [...clusters.values()],
      secrets: [
        {
          name: 'default',
          tls_certificate: certificate,
        },
        { name: 'ROOTCA', validation_context: { trusted_ca: { inline_string: server.rootCertificate } } },
      ],
    },
  };
  return { bootstrap, redirects };
}

interface GaugedListener {
  readonly listener: Json;
  readonly address: string;
  readonly from?: number;
}

function listenersOf({ address, role, config }: GaugedWorkload): readonly GaugedListener[] {
  const { static_resources } = staticForm(config) as unknown as { static_resources: { listeners: Json[] } };
  const own = new Set(config.listeners.map(({ name }) => name));
  const all = static_resources.listeners.filter(({ name }) => own.has(name));
  if (role === 'gateway') {
    return all.map((listener) => ({ listener: withDestination(listener), address, from: portOf(listener) }));
  }
  const inbound = all.find(({ name }) => name === 'virtualInbound');
  if (inbound === undefined) throw new Error('the workload has no inbound listener');
  return [{ listener: inbound, address }];
}

/** A gateway's clients come to its own port; here they are redirected, and it has to know where they went. */
function withDestination(listener: Json): Json {
  const type = 'type.googleapis.com/envoy.extensions.filters.listener.original_dst.v3.OriginalDst';
  const filter = { name: 'envoy.filters.listener.original_dst', typed_config: { '@type': type } };
  return { ...listener, listener_filters: [filter, ...((listener.listener_filters as Json[] | undefined) ?? [])] };
}

function portOf(listener: Json): number {
  const { socket_address } = listener.address as { readonly socket_address: { readonly port_value: number } };
  return socket_address.port_value;
}

function listenerForm(listener: Json, index: number): Json {
  return {
    ...listener,
    name: `gauge-${index}`,
    address: { socket_address: { address: '0.0.0.0', port_value: firstPort + index } },
    listener_filters_timeout: '60s',
    access_log: [accessLog(connectionFields)],
  };
}

/** Secrets are the ones that stand in the bootstrap, and each connection manager tells of its requests. */
class Editor {
  readonly #replacements: Readonly<Record<string, () => unknown>>;

  /** By name of a field, what stands there instead; undefined: nothing. */
  constructor(replacements: Readonly<Record<string, () => unknown>>) {
    this.#replacements = replacements;
  }

  edited(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.edited(one));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value as Json).flatMap(([key, member]) => {
      const replacement = this.#replacements[key];
      const replaced = replacement === undefined ? this.edited(member) : replacement();
      return replaced === undefined ? [] : [[key, replaced] as const];
    });
    const copy: Json = Object.fromEntries(entries);
    if (String(copy['@type']).endsWith('HttpConnectionManager')) {
      copy.access_log = [accessLog(requestFields)];
      delete copy.tracing;
    }
    if (String(copy['@type']).endsWith('TcpProxy')) delete copy.access_log;
    return copy;
  }
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
  grpc: '%RESP(grpc-status)%',
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
                  ...sawHeaders.map((name) => header(`x-saw-${name}`, `%REQ(${name})%`)),
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
