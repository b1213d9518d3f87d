import { otlpVariables } from '../../control/trace/otlp-settings.ts';

/** A variable that `meshd serve` reads, as its help and its page describe it. */
export interface ServeVariable {
  readonly name: string;
  readonly description: string;
  /** Absent where the description says it, or where there is none. */
  readonly default?: string;
}

/** Every variable of `meshd serve`; those that change what policies mean are read from the mesh configuration's list. */
export const serveVariables: readonly ServeVariable[] = [
  {
    name: 'CENTRAL_ISTIOD',
    description:
      'true: workloads of other clusters get certificates too, if they show a client certificate of this CA, or a token that --tokenKeys or --tokenIssuer verifies',
    default: 'false',
  },
  {
    name: 'CLUSTER_ID',
    description: 'name of this cluster; a request that names another cluster is refused, unless CENTRAL_ISTIOD is true',
    default: 'Cluster',
  },
  {
    name: 'DNS_ADDR',
    description:
      'address of DNS for the names of the mesh, over UDP and TCP. Set to the empty string: none, and none over TLS either unless --dnsTlsAddr is given',
    default: ':15053',
  },
  {
    name: 'ENABLE_CA_SERVER',
    description:
      'false: no certificates are signed; the TLS listener then needs a server certificate that you provide (PILOT_CERT_PROVIDER)',
    default: 'true',
  },
  {
    name: 'INJECTION_WEBHOOK_CONFIG_NAME',
    description:
      'with --webhookAddr: the MutatingWebhookConfiguration that one replica keeps: it writes the roots of the CA there. Set to the empty string: none',
    default: 'mesh-sidecar-injector',
  },
  {
    name: 'JWT_POLICY',
    description:
      'third-party-jwt; first-party-jwt: tokens without audience or expiry are accepted too; none: no tokens',
    default: 'third-party-jwt',
  },
  {
    name: 'MESHD_ADDR',
    description:
      'address of the control plane; its host is one more name of the server certificate. Set to the empty string: no TLS listener, unless --listen is given',
  },
  {
    name: 'MESHD_CUSTOM_HOST',
    description: 'further names and addresses of the server certificate, with commas between them',
  },
  { name: 'MESH_GPRC_MAXRECVMSGSIZE', description: 'largest request, in bytes', default: '4194304' },
  {
    name: 'MESH_GPRC_MAXSTREAMS',
    description: 'largest number of concurrent requests on one connection',
    default: '100000',
  },
  { name: 'MESH_NAMESPACE', description: 'the same as NAMESPACE; if both are set, they must be equal' },
  {
    name: 'NAMESPACE',
    description:
      "namespace of the control plane; the server certificate names meshd.<namespace>.svc, and Istio's names of that service; with --kubernetes it holds the Lease of the leader",
    default: 'mesh-system',
  },
  ...otlpVariables,
  {
    name: 'PILOT_CERT_DIR',
    description:
      'folder of the server certificate: with the provider meshd it is written there too, with custom it is read from there',
  },
  {
    name: 'PILOT_CERT_PROVIDER',
    description:
      'meshd: the CA signs the server certificate; custom: it is read from PILOT_CERT_DIR; a folder: it is read from there (cert-chain.pem, key.pem)',
    default: 'meshd',
  },
  {
    name: 'PILOT_DEBOUNCE_AFTER',
    description:
      'after a change, time without further changes before it is compiled; security policies wait at most 200ms',
    default: '100ms',
  },
  {
    name: 'PILOT_DEBOUNCE_MAX',
    description: 'longest time from a change to its compilation, if further changes follow',
    default: '10s',
  },
  {
    name: 'PILOT_DISTRIBUTION_HISTORY_RETENTION',
    description: 'time for which a replaced version of an object is remembered, to report proxies that still have it',
    default: '1m0s',
  },
  {
    name: 'PILOT_DEBUG_ADSZ_CONFIG',
    description:
      'true: the debug request /debug/adsz answers with the whole configuration that a proxy acknowledged last',
    default: 'false',
  },
  {
    name: 'PILOT_ENABLED_SERVICE_APIS',
    description:
      'true: the objects of the Gateway API are read, with --kubernetes the leader writes their status, and with --webhookAddr clients that write mistakes in them get warnings; false: they are skipped, and policies that name them are refused',
    default: 'false',
  },
  {
    name: 'PILOT_ENABLE_ANALYSIS',
    description:
      'with --kubernetes, true: the leader writes what lint finds to the status of objects (condition LintPassed)',
    default: 'false',
  },
  {
    name: 'PILOT_ENABLE_CONFIG_DISTRIBUTION_TRACKING',
    description:
      'true: meshd records which version of each object each proxy has acknowledged, and nonces begin with the version of the inputs',
    default: 'true',
  },
  {
    name: 'PILOT_ENABLE_CRD_VALIDATION',
    description:
      'with --kubernetes, true: an invalid Gateway of networking.mesh.io, VirtualService, ServiceEntry, WorkloadEntry, WorkloadGroup, ProxyConfig, HTTPRoute, GRPCRoute or TLSRoute that was never valid is ignored; false: no proxy that it may concern gets new configuration',
    default: 'false',
  },
  {
    name: 'PILOT_ENABLE_EDS_DEBOUNCE',
    description: 'false: changes of endpoints alone are compiled without waiting for further changes',
    default: 'true',
  },
  {
    name: 'PILOT_ENABLE_INCREMENTAL_MCP',
    description:
      'with configSources xds://, true: configuration servers are asked for changes alone (incremental form of the protocol)',
    default: 'false',
  },
  {
    name: 'PILOT_ENABLE_STATUS',
    description:
      'with --kubernetes, true: the leader writes to the status of objects whether they are valid, and how many proxies have them (conditions Accepted, Distributed)',
    default: 'false',
  },
  {
    name: 'PILOT_PUSH_THROTTLE',
    description: 'largest number of proxies that are sent changes at the same time',
    default: '100',
  },
  { name: 'PILOT_STATUS_BURST', description: 'burst of status writes allowed after a pause', default: '500' },
  { name: 'PILOT_STATUS_QPS', description: 'status writes allowed per second', default: '100' },
  {
    name: 'PILOT_USE_ENDPOINT_SLICE',
    description: 'with --kubernetes, true: endpoints of services are read from EndpointSlices; false: from Endpoints',
    default: 'false',
  },
  {
    name: 'TRUST_DOMAIN',
    description: 'trust domain of identities (default: trustDomain of the mesh configuration, else cluster.local)',
  },
];

/** The list of variables in `meshd serve --help`. */
export function serveVariablesHelp(): string {
  const width = Math.max(...serveVariables.map(({ name }) => name.length));
  const lines = serveVariables.map((variable) => `  ${variable.name.padEnd(width)}  ${describe(variable)}`);
  return `\nEnvironment variables:\n${lines.join('\n')}`;
}

function describe({ description, default: usual }: ServeVariable): string {
  return usual === undefined ? description : `${description} (default: ${usual})`;
}
