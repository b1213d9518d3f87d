import type { Cluster, Endpoint, TransportSocket } from '../lift/cluster.ts';
import type { ClientTls, Connection } from '../request.ts';

/** A connection that a proxy opens, and whether it accepts a server of an identity there. */
export interface Dialled {
  readonly connection: Connection;
  readonly accepts: (identity: string) => boolean;
  /** It is mutual TLS of the mesh, which only a proxy of the mesh ends. */
  readonly isMeshTls: boolean;
}

/**
 * The connections that a proxy with this identity may open to a cluster for a client's connection, one for each endpoint.
 * `alpn` replaces the cluster's own protocols. TLS of the client's connection is what goes on as it is.
 */
export function dial(
  cluster: Cluster,
  client: Connection,
  alpn: readonly string[] | undefined,
  identity: string,
): readonly Dialled[] {
  const original: Endpoint = { ...client.destination, labels: {} };
  const endpoints = cluster.kind === 'original' ? [original] : cluster.endpoints;
  return endpoints.map(({ address, port, labels }) => {
    const socket = cluster.sockets.find((one) => fits(one, labels));
    const tls = socket?.tls;
    const destination = { address, port };
    const protocol =
      client.protocol === 'bytes' || cluster.protocol === 'as the client' ? client.protocol : cluster.protocol;
    if (tls === undefined) {
      // A client's own TLS goes on as it is.
      const connection = { source: client.source, destination, protocol, tls: client.tls };
      return { connection, accepts: () => true, isMeshTls: false };
    }
    const own: ClientTls = {
      serverName: tls.serverName,
      alpn: alpn ?? tls.alpn,
      identities: tls.hasCertificate ? [identity] : undefined,
    };
    return {
      connection: { source: client.source, destination, protocol, tls: own },
      accepts: (server: string) => tls.identities.length === 0 || tls.identities.some((name) => name.matches(server)),
      isMeshTls: tls.root === 'mesh',
    };
  });
}

/** Every label of the match has to be the endpoint's. */
function fits({ labels }: TransportSocket, endpoint: Endpoint['labels']): boolean {
  return Object.entries(labels).every(([key, value]) => endpoint[key] === value);
}
