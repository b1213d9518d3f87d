import type { MeshWorkload } from '../../contracts/mesh-file.ts';
import type { LiftedProxy } from '../lift-proxy.ts';
import type { Outcome, Step } from '../outcome.ts';
import type { ClientTls, Connection, HttpRequest } from '../request.ts';
import { findWorkload, keyOf, type WorkloadName, type World, workloadAt } from '../world.ts';
import { outboundListener } from './outbound-listener.ts';
import { serve } from './serve.ts';
import type { TokenJudge } from './tokens.ts';
import { type Dialled, dial } from './upstream.ts';

/** The client of a request: a workload of the mesh, or a client outside. */
export type Client =
  | ({ readonly kind: 'workload' } & WorkloadName)
  | {
      readonly kind: 'outside';
      readonly address: string;
      /** With a certificate that the mesh's root has signed. */
      readonly identity?: string | undefined;
    };

/** One request from a client to an address. */
export interface AccessRequest {
  readonly from: Client;
  readonly to: { readonly address: string; readonly port: number };
  readonly protocol: Connection['protocol'];
  /** Absent for bytes. */
  readonly request?: HttpRequest | undefined;
}

/** What one proxy did with a request, or what happens without a proxy. */
export interface Leg {
  readonly workload: WorkloadName;
  readonly side: 'client' | 'server';
  /** Absent where the workload has no proxy in the way. */
  readonly listener?: string;
  readonly steps: readonly Step[];
}

/** One way that a request may take. */
export interface Way {
  readonly outcome: Outcome;
  readonly legs: readonly Leg[];
  /** Who it is sent to in the end; absent where it does not come so far. */
  readonly target?: WorkloadName;
}

/** Address of a client without a known one: from the block for benchmarks (RFC 2544), which nobody uses. */
export const assumedAddress = '198.18.0.1';

/** Every way that a request may take: several if weights or a choice of endpoints decide at random. */
export function travel(world: World, access: AccessRequest, tokens: TokenJudge): readonly Way[] {
  const { from, to, protocol, request } = access;
  const client = from.kind === 'workload' ? findWorkload(world, from) : undefined;
  const source = client?.addresses[0] ?? (from.kind === 'outside' ? from.address : assumedAddress);
  const connection: Connection = { source, destination: to, protocol };
  const proxy = client && world.proxies.get(keyOf(client));
  if (client === undefined || proxy === undefined || client.role === 'none') {
    const identity = from.kind === 'outside' ? from.identity : undefined;
    const tls: ClientTls | undefined = identity === undefined ? undefined : { alpn: [], identities: [identity] };
    return [arrive(world, { ...connection, tls }, request, tokens)];
  }
  return throughSidecar(world, { client, proxy, connection, request }, tokens);
}

interface Departure {
  readonly client: MeshWorkload;
  readonly proxy: LiftedProxy;
  readonly connection: Connection;
  readonly request: HttpRequest | undefined;
}

function throughSidecar(world: World, departure: Departure, tokens: TokenJudge): readonly Way[] {
  const { client, proxy, connection, request } = departure;
  const listener = outboundListener(proxy, connection.destination);
  if (listener === undefined) return [{ outcome: { kind: 'unmodelled', at: 'virtualOutbound' }, legs: [] }];
  const { outcome, steps } = serve(listener, connection, request, { routes: proxy.routes, tokens });
  const leg: Leg = { workload: client, side: 'client', listener: listener.name, steps };
  if (outcome.kind !== 'reaches') return [{ outcome, legs: [leg] }];
  return outcome.clusters.flatMap((name) => {
    const cluster = proxy.clusters.get(name);
    if (cluster === undefined) return [{ outcome: noCluster, legs: [leg] }];
    if (cluster.gap !== undefined) {
      const unmodelled: Outcome = { kind: 'unmodelled', at: cluster.gap };
      return [{ outcome: unmodelled, legs: [leg] }];
    }
    const calls = dial(cluster, connection, outcome.alpn, client.identity);
    if (calls.length === 0) return [{ outcome: noEndpoint, legs: [leg] }];
    return calls.map((dialled) => withLeg(call(world, dialled, outcome.request, tokens), leg));
  });
}

/** What a proxy answers for itself. */
const noEndpoint: Outcome = { kind: 'answered', status: 503, details: 'no_healthy_upstream' };
const noCluster: Outcome = { kind: 'answered', status: 503, details: 'cluster_not_found' };

function withLeg(way: Way, leg: Leg): Way {
  return { ...way, legs: [leg, ...way.legs] };
}

/** The client's proxy sees a connection that ends; its client sees an answer, where it has sent a request. */
function call(
  world: World,
  { connection, accepts }: Dialled,
  request: HttpRequest | undefined,
  tokens: TokenJudge,
): Way {
  const server = workloadAt(world, connection.destination.address);
  const refuses = connection.tls !== undefined && server !== undefined && !accepts(server.identity);
  if (refuses)
    return { outcome: failed('the identity of the server is not the expected one', request), legs: [], target: server };
  const way = arrive(world, connection, request, tokens);
  return way.outcome.kind === 'closed' ? { ...way, outcome: failed(way.outcome.details, request) } : way;
}

function failed(why: string, request: HttpRequest | undefined): Outcome {
  if (request === undefined) return { kind: 'closed', exitCodes: [52, 56], details: why };
  return { kind: 'answered', status: 503, details: why };
}

/** At the workload that has the address, through its proxy where it has one. What a gateway does is not followed yet. */
function arrive(world: World, connection: Connection, request: HttpRequest | undefined, tokens: TokenJudge): Way {
  const { address, port } = connection.destination;
  const server = workloadAt(world, address);
  const delivered: Outcome = {
    kind: 'reaches',
    clusters: [`${address}:${port}`],
    ...(request !== undefined && { request }),
  };
  if (server === undefined) return { outcome: delivered, legs: [] };
  if (server.role === 'router')
    return { outcome: { kind: 'unmodelled', at: `gateway ${keyOf(server)}` }, legs: [], target: server };
  const proxy = world.proxies.get(keyOf(server));
  const listener = isCaptured(world, server, port) ? proxy?.listeners.get('virtualInbound') : undefined;
  if (proxy === undefined || listener === undefined) {
    return { outcome: delivered, legs: [{ workload: server, side: 'server', steps: [] }], target: server };
  }
  const { outcome, steps } = serve(listener, connection, request, { routes: proxy.routes, tokens });
  return { outcome, legs: [{ workload: server, side: 'server', listener: listener.name, steps }], target: server };
}

/** Whether redirection leads connections to this port through the workload's sidecar. */
function isCaptured({ mesh }: World, server: MeshWorkload, port: number): boolean {
  if (server.role !== 'sidecar') return false;
  const { excludedInboundPorts } = mesh.capture;
  if (excludedInboundPorts.includes(port) || server.excludedInboundPorts?.includes(port)) return false;
  return server.includedInboundPorts?.includes(port) ?? true;
}
