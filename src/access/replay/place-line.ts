import type { MeshWorkload } from '../../contracts/mesh-file.ts';
import { findWorkload, keyOf, type WorkloadName, type World, workloadAt } from '../world.ts';
import type { LoggedRequest, SocketPlace } from './logged-request.ts';

/** Which proxy wrote a line, and on which side of the request it stood. */
export interface PlacedLine {
  readonly writer: MeshWorkload;
  readonly side: 'client' | 'gateway' | 'server';
  readonly source: SocketPlace;
  readonly destination: SocketPlace;
}

/** Finds the proxy by the addresses of a line, or takes the one that is named. A text says why that is not possible. */
export function placeLine(world: World, logged: LoggedRequest, named?: WorkloadName): PlacedLine | string {
  const { source, destination } = logged;
  if (source === undefined) return 'the line does not tell where the client is (%DOWNSTREAM_REMOTE_ADDRESS%)';
  if (destination === undefined) {
    return 'the line does not tell where the connection went (%DOWNSTREAM_LOCAL_ADDRESS%)';
  }
  const ends = { source, destination };
  const found = named === undefined ? writerOf(world, logged, ends) : sideOf(world, logged, ends, named);
  if (typeof found === 'string') return found;
  const key = keyOf(found.writer);
  return world.proxies.has(key) ? { ...found, ...ends } : `${key} has no proxy`;
}

type Ends = Pick<PlacedLine, 'source' | 'destination'>;
type Writer = Pick<PlacedLine, 'writer' | 'side'>;

function writerOf(world: World, logged: LoggedRequest, { source, destination }: Ends): Writer | string {
  const server = workloadAt(world, destination.address);
  const client = workloadAt(world, source.address);
  const way = directionOf(logged);
  // A client that dials a gateway itself sends on to where it dialled.
  const isGateway = server?.role === 'router' && logged.upstreamHost?.address !== destination.address;
  if (server !== undefined && isGateway && way !== 'in') return { writer: server, side: 'gateway' };
  const canServe = server?.role === 'sidecar';
  const canCall = client?.role === 'sidecar';
  if (way === 'in') {
    return canServe ? { writer: server, side: 'server' } : `no workload of the old inputs has ${destination.address}`;
  }
  if (way === 'out') {
    return canCall ? { writer: client, side: 'client' } : `no workload of the old inputs has ${source.address}`;
  }
  if (canServe && canCall && logged.serverName === undefined && logged.identity === undefined) {
    return 'the line does not tell whose proxy wrote it, the one of the client or the one of the server (%UPSTREAM_CLUSTER%)';
  }
  if (canServe) return { writer: server, side: 'server' };
  if (canCall) return { writer: client, side: 'client' };
  return `no workload of the old inputs has ${destination.address} or ${source.address}`;
}

function sideOf(world: World, logged: LoggedRequest, ends: Ends, named: WorkloadName): Writer | string {
  const writer = findWorkload(world, named);
  if (writer === undefined) return `the old inputs have no workload ${keyOf(named)}`;
  if (writer.role === 'router') return { writer, side: 'gateway' };
  const has = ({ address }: SocketPlace): boolean => writer.addresses.includes(address);
  const guessed = has(ends.destination) ? 'in' : has(ends.source) ? 'out' : undefined;
  const way = directionOf(logged) ?? guessed;
  if (way === undefined) return `the line does not tell whether ${keyOf(named)} is its client or its server`;
  const side = way === 'in' ? 'server' : 'client';
  const other = workloadAt(world, (way === 'in' ? ends.destination : ends.source).address);
  if (other !== undefined && other !== writer)
    return `the proxy of ${keyOf(other)} wrote the line, not the one of --proxy`;
  return { writer, side };
}

function directionOf({ cluster }: LoggedRequest): 'in' | 'out' | undefined {
  if (cluster === undefined) return undefined;
  return cluster.startsWith('inbound|') || cluster === 'InboundPassthroughCluster' ? 'in' : 'out';
}
