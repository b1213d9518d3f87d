import type { MeshWorkload } from '../../contracts/mesh-file.ts';
import type { AccessRequest } from '../evaluate/access-request.ts';
import type { Client } from '../evaluate/client.ts';
import { findService, keyOf, type World, workloadAt } from '../world.ts';
import type { LoggedRequest, SocketPlace } from './logged-request.ts';

/** Client and destination of a logged request in a mesh. */
export interface Located {
  readonly from: Client;
  /** Where the client connected to. */
  readonly to: AccessRequest['to'];
  /** What the line does not tell, and what was taken in its place. */
  readonly assumptions: readonly string[];
}

/** Finds client and destination. A text says which option is needed if the line does not say enough. */
export function locate(world: World, logged: LoggedRequest): Located | string {
  const { source, destination } = logged;
  if (source === undefined) {
    return 'the line does not tell where the client is (%DOWNSTREAM_REMOTE_ADDRESS%): add --from';
  }
  if (destination === undefined) {
    return 'the line does not tell where the connection went (%DOWNSTREAM_LOCAL_ADDRESS%): add --to';
  }
  const client = clientOf(world, logged, source);
  const server = workloadAt(world, destination.address);
  const isSidecar = client?.role === 'sidecar' && world.proxies.has(keyOf(client));
  if (client !== undefined && isSidecar && server?.role !== 'router') {
    const own = fromSidecar(world, client, logged, destination);
    if (own !== undefined) return own;
  }
  if (server !== undefined) return fromOutside(logged, source, destination, client);
  const missing = client === undefined ? `neither ${source.address} nor` : 'no';
  return `${missing} ${destination.address} is an address of the input: add --from and --to`;
}

/** The workload with the client's address; where none has it, the only one with its identity. */
function clientOf(world: World, { identity }: LoggedRequest, { address }: SocketPlace): MeshWorkload | undefined {
  const found = workloadAt(world, address);
  const fits = identity === undefined || found?.identity === identity;
  if (found !== undefined && fits) return found;
  const same = world.mesh.workloads.filter((one) => one.identity === identity);
  return same.length === 1 ? same[0] : undefined;
}

/**
 * The client's sidecar was called with the service's address: its own line has it, and the server's line has the service in
 * the server name of mutual TLS. Undefined for plain text at a server, which is judged as it arrived.
 */
function fromSidecar(
  world: World,
  client: MeshWorkload,
  logged: LoggedRequest,
  destination: SocketPlace,
): Located | undefined {
  const { namespace, name } = client;
  const from: Client = { kind: 'workload', namespace, name };
  const [, port, host = ''] = /^outbound_\.(\d+)_\.[^_]*_\.(.+)$/.exec(logged.serverName ?? '') ?? [];
  const service = port === undefined ? undefined : findService(world, host, namespace);
  if (service !== undefined) {
    const [address = destination.address] = service.addresses;
    return { from, to: { address, port: Number(port) }, assumptions: assumedIdentity(logged, client) };
  }
  // A server's line has the cluster of its application.
  return logged.cluster?.startsWith('inbound|') || logged.cluster === 'InboundPassthroughCluster'
    ? undefined
    : { from, to: destination, assumptions: [] };
}

function assumedIdentity({ tellsIdentity }: LoggedRequest, client: MeshWorkload): readonly string[] {
  if (tellsIdentity) return [];
  return [`the line does not tell the client's identity: it is that of ${keyOf(client)}, which has its address`];
}

function fromOutside(
  { identity, serverName, tellsIdentity }: LoggedRequest,
  { address }: SocketPlace,
  destination: SocketPlace,
  client: MeshWorkload | undefined,
): Located {
  const whose =
    client === undefined ? 'outside the mesh' : `that of ${keyOf(client)}, and its connection was in plain text`;
  const isUnknown = identity === undefined && serverName !== undefined && !tellsIdentity;
  return {
    from: { kind: 'outside', address, ...(identity !== undefined && { identity }) },
    to: destination,
    assumptions: [
      `the client's address ${address} is ${whose}`,
      ...(isUnknown ? ["the line does not tell the client's identity: it has no certificate of the mesh"] : []),
    ],
  };
}
