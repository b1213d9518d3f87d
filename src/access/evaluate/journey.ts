import type { MeshService, MeshWorkload } from '../../contracts/mesh-file.ts';
import type { LiftedProxy } from '../lift-proxy.ts';
import type { Outcome, Step } from '../outcome.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { findWorkload, proxyOf, type WorkloadName, type World, workloadAt } from '../world.ts';
import { type AccessRequest, assumedAddress } from './access-request.ts';
import { answered, inFormOf, statusOfReset, unanswered } from './answer.ts';
import type { Blanks } from './blanks.ts';
import { type Choose, oneEndpoint } from './choices.ts';
import { tlsOf } from './client.ts';
import { closedWith } from './closed.ts';
import { inboundListener, outboundListener, unheard } from './find-listener.ts';
import { addressTowards, endpointsBehind, isCaptured, serviceAt } from './network.ts';
import { serve } from './serve.ts';
import type { TokenJudge } from './token-judge.ts';
import { type Dialled, dial, endpointsFor, hasNobody, type Reaches, transportOf } from './upstream.ts';
import type { Leg, ObserveProxy, Way } from './way.ts';

/** A connection that a proxy has taken, to where it sends it on. */
interface Arrival {
  readonly workload: MeshWorkload;
  readonly proxy: LiftedProxy;
  readonly connection: Connection;
  readonly request: HttpRequest | undefined;
}

/** A request that a proxy has read, as it came to it; of bytes there is none. */
type ReadRequest = { readonly request: HttpRequest; readonly protocol: Connection['protocol'] };

/** More proxies are on no sensible way: gateways that lead to each other. */
const mostLegs = 6;

const otherIdentity = 'the identity of the server is not the expected one';
const notEnded = 'nobody ends the mutual TLS of the mesh';

/** One way of a request, from its client through each proxy; what nobody knows, `choose` and `blanks` answer. */
export class Journey {
  readonly #world: World;
  readonly #access: AccessRequest;
  readonly #tokens: TokenJudge;
  readonly #choose: Choose;
  readonly #observe: ObserveProxy | undefined;
  readonly #blanks: Blanks | undefined;
  readonly #legs: Leg[] = [];
  /** The client's TLS goes on to somebody behind the last proxy. */
  #isShakingHands = false;

  constructor(
    world: World,
    access: AccessRequest,
    tokens: TokenJudge,
    choose: Choose,
    observe: ObserveProxy | undefined,
    blanks?: Blanks,
  ) {
    this.#world = world;
    this.#access = access;
    this.#tokens = tokens;
    this.#choose = choose;
    this.#observe = observe;
    this.#blanks = blanks;
  }

  start(): Way {
    const { from, to, protocol, request } = this.#access;
    const client = from.kind === 'workload' ? findWorkload(this.#world, from) : undefined;
    const source =
      (client && addressTowards(client, to.address)) ?? (from.kind === 'outside' ? from.address : assumedAddress);
    const proxy = client && proxyOf(this.#world, client);
    if (client === undefined || proxy === undefined || client.role === 'none') {
      return this.#arrive({ source, destination: to, tls: tlsOf(from), protocol }, request);
    }
    const connection: Connection = { source, destination: to, tls: tlsOf(from), protocol };
    const listener = outboundListener(proxy, to);
    if (listener === undefined) return this.#end({ kind: 'unmodelled', at: 'virtualOutbound' });
    return this.#forward({ workload: client, proxy, connection, request }, listener, 'client');
  }

  #end(outcome: Outcome, target?: WorkloadName): Way {
    return target === undefined ? { outcome, legs: this.#legs } : { outcome, legs: this.#legs, target };
  }

  /** Through a sidecar of the client or a gateway, and on to an endpoint of the cluster that it chooses. */
  #forward(arrival: Arrival, listener: Parameters<typeof serve>[0], side: 'client' | 'gateway'): Way {
    const { workload, proxy, connection, request } = arrival;
    const outcome = this.#serve(arrival, listener, side);
    const isFirst = this.#legs.length === 1;
    this.#isShakingHands = (isFirst || this.#isShakingHands) && outcome.kind === 'reaches' && outcome.tls !== undefined;
    if (outcome.kind !== 'reaches') return this.#end(outcome, side === 'gateway' ? workload : undefined);
    const [name = ''] = outcome.clusters;
    const cluster = proxy.clusters.get(name);
    // The form of the proxy's own answers is that of what came to it.
    const read = outcome.request === undefined ? undefined : request && { request, protocol: connection.protocol };
    if (cluster === undefined) return this.#end(this.#failed('cluster_not_found', read));
    if (cluster.gap !== undefined) return this.#end({ kind: 'unmodelled', at: cluster.gap });
    const endpoints = endpointsFor(cluster, connection.destination);
    const endpoint = oneEndpoint(this.#choose, name, endpoints, ({ address }) => address);
    if (endpoint === undefined) return this.#end(this.#failed('no_healthy_upstream', read));
    const source = addressTowards(workload, endpoint.address) ?? assumedAddress;
    const own = { source, tls: outcome.tls, protocol: connection.protocol };
    const call = dial(cluster, endpoint, own, outcome.alpn, workload.identity);
    return this.#call(call, outcome.request ?? request, read);
  }

  #serve(
    { workload, proxy, connection, request }: Arrival,
    listener: Parameters<typeof serve>[0],
    side: Leg['side'],
  ): Outcome {
    const name: WorkloadName = { namespace: workload.namespace, name: workload.name };
    const { outcome, steps } = serve(listener, connection, request, {
      routes: proxy.routes,
      tokens: this.#tokens,
      choose: this.#choose,
      authorizer: this.#access.authorizer,
      observer: this.#observe?.(name),
      blanks: this.#blanks,
    });
    const passing = { connection, request, outcome };
    this.#legs.push({ workload: name, side, listener: listener.name, steps, passing });
    return outcome;
  }

  /**
   * The client's proxy sees a connection that ends; its client sees an answer, where the proxy has read a request. What it
   * has not read goes on as it came.
   */
  #call(dialled: Dialled, request: HttpRequest | undefined, read: ReadRequest | undefined): Way {
    const { connection, accepts, isMeshTls } = dialled;
    const server = workloadAt(this.#world, connection.destination.address);
    const before = this.#legs.length;
    if (connection.tls !== undefined && server !== undefined && !accepts(server.identity)) {
      return this.#end(this.#refuse(dialled, otherIdentity, read), server);
    }
    // Requests inside of TLS that a proxy has wrapped in its own are bytes to whoever ends that.
    const onward = connection.protocol === 'bytes' ? undefined : request;
    const way = this.#arrive(connection, onward, server);
    // At the address of a service it is known only now who the server is.
    const met = server === undefined ? this.#legs[before]?.workload : undefined;
    const identity = met && findWorkload(this.#world, met)?.identity;
    if (connection.tls !== undefined && identity !== undefined && !accepts(identity)) {
      // Nothing of HTTP has come to the server.
      this.#legs.length = before;
      return { ...way, outcome: this.#refuse(dialled, otherIdentity, read) };
    }
    if (isMeshTls && way.outcome.kind === 'reaches' && way.outcome.tls !== undefined) {
      return { ...way, outcome: this.#refuse(dialled, notEnded, read, before) };
    }
    const { outcome } = way;
    if (outcome.kind !== 'closed' && outcome.kind !== 'reset') return way;
    const status = outcome.kind === 'reset' ? statusOfReset(outcome.details) : 503;
    return { ...way, outcome: this.#unanswered(outcome.details, read, status) };
  }

  /** What a client sees of a proxy whose own TLS comes to nothing. It is the proxy of the last of so many legs, which gets the step. */
  #refuse(dialled: Dialled, why: string, read: ReadRequest | undefined, count = this.#legs.length): Outcome {
    const own = this.#legs[count - 1];
    const cluster = dialled.cluster.name;
    const step: Step = { station: 'tls', at: transportOf(dialled), decider: '', why, cluster };
    if (own !== undefined) this.#legs[count - 1] = { ...own, steps: [...own.steps, step] };
    return this.#unanswered(why, read);
  }

  /** What a client sees of a proxy whose own call ends without an answer. */
  #unanswered(why: string, read: ReadRequest | undefined, status = 503): Outcome {
    return this.#answer(why, unanswered(status, why), read);
  }

  #failed(why: string, read: ReadRequest | undefined): Outcome {
    return this.#answer(why, answered(503, why), read);
  }

  #answer(why: string, outcome: Outcome, read: ReadRequest | undefined): Outcome {
    if (read === undefined) return closedWith(this.#isShakingHands ? [35] : [52, 56], why);
    return inFormOf(read.request, outcome, read.protocol, this.#blanks);
  }

  /** To an endpoint of a service whose address no proxy has resolved: the node does. Without one it refuses connections. */
  #translated(service: MeshService, connection: Connection, request: HttpRequest | undefined): Way {
    const own = endpointsBehind(service, connection.destination);
    if (own.length === 0) {
      const ofPort = service.endpoints.length === 0 ? '' : ` for port ${connection.destination.port}`;
      return this.#end(closedWith([7], `the service has no endpoint${ofPort}`));
    }
    const endpoint = oneEndpoint(this.#choose, service.host, own, ({ address }) => address);
    const destination = { address: endpoint?.address ?? '', port: endpoint?.port ?? connection.destination.port };
    return this.#arrive({ ...connection, destination }, request);
  }

  /** At the workload that has the address, through its proxy where it has one. */
  #arrive(
    connection: Connection,
    request: HttpRequest | undefined,
    server = workloadAt(this.#world, connection.destination.address),
  ): Way {
    const { address, port } = connection.destination;
    if (server === undefined) {
      const service = serviceAt(this.#world, address);
      if (service !== undefined) return this.#translated(service, connection, request);
      return this.#end(delivered(connection, request));
    }
    if (this.#legs.length >= mostLegs) return this.#end({ kind: 'unmodelled', at: 'a circle of gateways' }, server);
    const proxy = proxyOf(this.#world, server);
    if (proxy !== undefined && server.role === 'router') {
      const arrival = { workload: server, proxy, connection, request };
      const listener = inboundListener(proxy, connection.destination);
      if (listener === undefined) return this.#end(unheard(server, connection.destination.port), server);
      return this.#forward(arrival, listener, 'gateway');
    }
    const listener = isCaptured(this.#world, server, port) ? proxy?.listeners.get('virtualInbound') : undefined;
    if (proxy === undefined || listener === undefined) {
      const { namespace, name } = server;
      this.#legs.push({ workload: { namespace, name }, side: 'server', steps: [] });
      return this.#end({ ...delivered(connection, request), tls: connection.tls }, server);
    }
    const outcome = this.#serve({ workload: server, proxy, connection, request }, listener, 'server');
    return this.#end(hasNobody(outcome, proxy.clusters) ? this.#lost(outcome, connection, request) : outcome, server);
  }

  /** What a client sees of a server's proxy that has nobody to pass its request to. */
  #lost({ request: sent, tls }: Reaches, { protocol }: Connection, request: HttpRequest | undefined): Outcome {
    const why = 'no_healthy_upstream';
    if (sent !== undefined && request !== undefined) return this.#failed(why, { request, protocol });
    return closedWith(tls === undefined ? [52, 56] : [35], why);
  }
}

/** To where nothing of the mesh is in the way. */
function delivered(
  { destination: { address, port } }: Connection,
  request: HttpRequest | undefined,
): Outcome & { readonly kind: 'reaches' } {
  return { kind: 'reaches', clusters: [`${address}:${port}`], ...(request !== undefined && { request }) };
}
