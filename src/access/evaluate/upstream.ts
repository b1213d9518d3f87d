import type { Fragment } from '../../envoy/api/fragment.ts';
import type { Cluster, Endpoint, TransportSocket } from '../lift/cluster.ts';
import type { Outcome } from '../outcome.ts';
import type { ClientTls, Connection } from '../request.ts';

/** A connection that a proxy opens, and whether it accepts a server of an identity there. */
export interface Dialled {
  readonly connection: Connection;
  readonly accepts: (identity: string) => boolean;
  /** It is mutual TLS of the mesh, which only a proxy of the mesh ends. */
  readonly isMeshTls: boolean;
  /** What says how it is opened. */
  readonly cluster: Cluster;
  readonly socket: TransportSocket | undefined;
}

export type Reaches = Extract<Outcome, { kind: 'reaches' }>;

/** Whether a proxy sends on to a cluster without endpoints, as it does with connections to its own ports. */
export function hasNobody(outcome: Outcome, clusters: ReadonlyMap<string, Cluster>): outcome is Reaches {
  const cluster = outcome.kind === 'reaches' ? clusters.get(outcome.clusters[0] ?? '') : undefined;
  return cluster?.gap === undefined && cluster?.kind === 'endpoints' && cluster.endpoints.length === 0;
}

/** The endpoints of a cluster to which a connection to this destination may go on. */
export function endpointsFor(
  { kind, endpoints }: Cluster,
  { address, port }: Connection['destination'],
): readonly Endpoint[] {
  return kind === 'original' ? [{ address, port, labels: {} }] : endpoints;
}

/**
 * The connection that a proxy with this identity opens to an endpoint of a cluster. Of `client` it keeps the source, the
 * protocol and the TLS that the proxy does not end. `alpn` replaces the cluster's own protocols.
 */
export function dial(
  cluster: Cluster,
  { address, port, labels }: Endpoint,
  client: Omit<Connection, 'destination'>,
  alpn: readonly string[] | undefined,
  identity: string,
): Dialled {
  const { source } = client;
  const destination = { address, port };
  const isKept = client.tls !== undefined || client.protocol === 'bytes' || cluster.protocol === 'as the client';
  const protocol = isKept ? client.protocol : cluster.protocol;
  const socket = socketFor(cluster, labels);
  const tls = socket?.tls;
  if (tls === undefined) {
    return {
      connection: { source, destination, tls: client.tls, protocol },
      accepts: acceptsAll,
      isMeshTls: false,
      cluster,
      socket,
    };
  }
  const own: ClientTls = {
    serverName: tls.serverName,
    alpn: alpn ?? tls.alpn,
    identities: tls.hasCertificate ? [identity] : undefined,
  };
  return {
    connection: { source, destination, tls: own, protocol: client.tls === undefined ? protocol : 'bytes' },
    accepts: (server) => tls.identities.length === 0 || tls.identities.some((name) => name.matches(server)),
    isMeshTls: tls.root === 'mesh',
    cluster,
    socket,
  };
}

/** The part of a cluster that says how a connection was opened. */
export function transportOf({ cluster, socket }: Dialled): Fragment {
  const isChosen = Object.keys(socket?.labels ?? {}).length > 0;
  return cluster.at.at(isChosen ? 'transport_socket_matches' : 'transport_socket');
}

const acceptsAll: Dialled['accepts'] = () => true;

/** The first of which every label is the endpoint's. */
function socketFor({ sockets }: Cluster, labels: Endpoint['labels']): TransportSocket | undefined {
  for (const socket of sockets) if (fits(socket, labels)) return socket;
  return undefined;
}

function fits({ labels }: TransportSocket, endpoint: Endpoint['labels']): boolean {
  for (const key of Object.keys(labels)) if (endpoint[key] !== labels[key]) return false;
  return true;
}
