import { defaultJsonFormat } from '../../access/replay/known-formats.ts';
import type { WorkloadCertificate } from '../../control/ca/temporary-authority.ts';
import { type ConfigParts, staticForm } from '../../envoy/static-form.ts';
import { accessLog, connectionLog } from '../../gauge/access-logs.ts';
import { echoCluster, echoListener } from '../../gauge/echo.ts';
import { editedForGauge } from '../../gauge/edited.ts';

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

/** Where Envoy writes the log that a mesh has by default as JSON, relative to its working directory. */
export const usualLogFile = 'usual.log';

const usualLog = accessLog(defaultJsonFormat, usualLogFile);

export const firstPort = 20_000;

/**
 * One bootstrap with each listener of each workload on a port of its own, and which connections it has. What differs from the compiled form:
 * name and port of the listeners, secrets that stand there, every cluster is the echo, the access logs, and how long the
 * inspectors and handshakes wait for a client's first bytes: a busy machine sends them late.
 */
export function gaugeBootstrap(
  workloads: readonly GaugedWorkload[],
  { server, strangeRoot }: GaugeSecrets,
): { readonly bootstrap: object; readonly redirects: readonly Redirect[] } {
  const certificate = {
    certificate_chain: { inline_string: server.certificateChain },
    private_key: { inline_string: server.privateKey },
  };
  const replacements = {
    tls_certificates: () => [certificate],
    trusted_ca: () => ({ inline_string: strangeRoot }),
    sds_config: () => undefined,
    // A busy machine needs longer for a handshake.
    transport_socket_connect_timeout: () => undefined,
  };
  const found = workloads.flatMap((workload) => listenersOf(workload));
  const redirects = found.map(({ address, from }, i) => ({
    address,
    ...(from !== undefined && { from }),
    port: firstPort + i,
  }));
  const listeners = found.map(({ listener }, i) =>
    listenerForm(editedForGauge(listener, { gate: '', replacements, logs: [usualLog] }) as Json, i),
  );
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
    listener_filters_timeout: '300s',
    access_log: [connectionLog('')],
  };
}
