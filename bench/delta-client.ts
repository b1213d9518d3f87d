import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeMessage } from '../src/envoy/api/decode.ts';
import { type ConfigurationList, configurationTypes } from '../src/xds/aggregated-service.ts';
import { ResourceList } from '../src/xds/resource-list.ts';
import { ResourceView } from '../src/xds/resource-view.ts';
import { setType } from '../src/xds/whole-sets.ts';
import type { ClientIdentity } from './client-identities.ts';
import { Entries } from './delta-entries.ts';
import { field, framed, type ReadResource, readResponse } from './delta-wire.ts';
import { nowMs } from './measure.ts';

/** What a client has seen since it was asked to count anew. */
export interface Seen {
  responses: number;
  endpointResponses: number;
  /** Of resources. */
  bytes: number;
  /** It asked for a name that is not there after everything else, and heard so. */
  isThrough: boolean;
  /** When the last acknowledgement went out, as the machine's monotonic clock counts, in milliseconds. */
  lastAckMs: number;
}

const entries = new Entries();
const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];
const listOf = new Map(lists.map((list) => [configurationTypes[list].typeUrl, list]));
/** Envoy's own. */
const windowBytes = 16 * 1_048_576;
const nowhere = 'nowhere';
const noBytes = new Uint8Array();
let routesOfAll: readonly string[] | undefined;

/** One delta stream over mutual TLS on a connection of its own, which asks for what an Envoy asks for. */
export class DeltaClient {
  readonly #identity: ClientIdentity;
  /** Ids of names with versions, by name. */
  readonly #known: Record<ConfigurationList, Map<string, number>> = {
    clusters: new Map(),
    endpoints: new Map(),
    listeners: new Map(),
    routes: new Map(),
  };
  readonly #asked = { endpoints: new Set<string>(), routes: new Set<string>() };
  readonly #answered = { endpoints: 0, routes: 0 };
  #session: ClientHttp2Session | undefined;
  #stream: ClientHttp2Stream | undefined;
  #isWanted = false;
  /** As `pilot-agent` does. */
  #digests: Readonly<Record<string, string>> | undefined;
  attempts = 0;
  seen = nothing();

  constructor(identity: ClientIdentity) {
    this.#identity = identity;
  }

  /** Everything that was asked for has come. */
  get isSettled(): boolean {
    const has = (list: 'endpoints' | 'routes'): boolean =>
      this.#asked[list].size > 0 && this.#answered[list] >= this.#asked[list].size;
    return this.#known.clusters.size > 0 && this.#known.listeners.size > 0 && has('endpoints') && has('routes');
  }

  countAnew(): void {
    this.seen = nothing();
  }

  /** Connects, without a stream yet: one that says nothing is ended by `meshd`. */
  open(): Promise<void> {
    this.#isWanted = true;
    const { port, root: ca, certificate: cert, privateKey: key } = this.#identity;
    const session = connect(`https://127.0.0.1:${port}`, {
      ...{ ca, cert, key, servername: 'meshd.mesh-system.svc' },
      settings: { enablePush: false, initialWindowSize: windowBytes },
    });
    this.#session = session;
    session.on('error', () => {});
    session.on('close', () => void this.#again(session));
    return new Promise((resolve) => {
      session.once('connect', () => {
        session.setLocalWindowSize(windowBytes);
        resolve();
      });
    });
  }

  /** Opens a stream, asks for everything, and tells what it has. */
  ask(): void {
    const session = this.#session;
    if (session === undefined || session.closed) return;
    this.attempts += 1;
    this.#openStream(session);
    const node = field(1, field(1, this.#identity.nodeId));
    if (this.#digests !== undefined) {
      const told = Object.entries(this.#digests).map(([type, digest]) =>
        field(5, Buffer.concat([field(1, type), field(2, digest)])),
      );
      this.#send([node, field(2, setType), ...told]);
      return;
    }
    this.#askFor('clusters', [], node);
    this.#askFor('listeners', []);
    for (const list of ['endpoints', 'routes'] as const)
      if (this.#asked[list].size > 0) this.#askFor(list, [...this.#asked[list]]);
    if (this.isSettled) this.#send([field(2, configurationTypes.endpoints.typeUrl), field(3, nowhere)]);
  }

  /** From now on it begins with the digests of what it has now. */
  digest(): void {
    const view = (list: ConfigurationList) =>
      new ResourceView(
        new ResourceList(
          [...this.#known[list].values()].map((id) => ({
            ...{ name: entries.names[id] ?? '', version: entries.versions[id] ?? '', body: noBytes },
          })),
        ),
      );
    this.#digests = Object.fromEntries(lists.map((list) => [configurationTypes[list].typeUrl, view(list).digest]));
  }

  close(): void {
    this.#isWanted = false;
    this.#session?.destroy();
  }

  #openStream(session: ClientHttp2Session): void {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
      ...{ 'content-type': 'application/grpc', te: 'trailers' },
    });
    this.#stream = stream;
    stream.on('error', () => {});
    // A status ends the call in both directions.
    stream.on('end', () => stream.close());
    stream.on('close', () => void this.#askAgain(session));
    let chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      while (length >= 5) {
        if ((chunks[0]?.length ?? 0) < 5) chunks = [Buffer.concat(chunks)];
        const size = 5 + (chunks[0]?.readUInt32BE(1) ?? 0);
        if (length < size) return;
        const all = Buffer.concat(chunks);
        this.#take(all.subarray(5, size));
        chunks = [all.subarray(size)];
        length -= size;
      }
    });
  }

  /** A stream that is refused is tried again as Envoy does, with a pause that is random. */
  async #askAgain(session: ClientHttp2Session): Promise<void> {
    if (!this.#isWanted || session.closed) return;
    await delay(500 + Math.random() * 1_000);
    if (this.#isWanted && this.#session === session) this.ask();
  }

  async #again(session: ClientHttp2Session): Promise<void> {
    if (!this.#isWanted || this.#session !== session) return;
    await delay(500 + Math.random() * 1_000);
    await this.open();
    this.ask();
  }

  #askFor(list: ConfigurationList, names: readonly string[], node: Buffer = Buffer.alloc(0)): void {
    const known = [...this.#known[list].values()].map((id) => entries.encoded[id] ?? Buffer.alloc(0));
    const subscribed = names.map((name) => field(3, name));
    this.#send([node, field(2, configurationTypes[list].typeUrl), ...subscribed, ...known]);
  }

  #send(parts: readonly Buffer[]): void {
    if (this.#stream?.destroyed === false) this.#stream.write(framed(Buffer.concat(parts)));
  }

  #take(bytes: Buffer): void {
    const { typeUrl, nonce, resources, removed } = readResponse(bytes);
    if (typeUrl === setType) {
      if (removed.length > 0) throw new Error(`other sets than expected: ${removed.join(', ')}`);
      this.#send([field(2, typeUrl), field(6, nonce)]);
      this.#send([field(2, configurationTypes.endpoints.typeUrl), field(3, nowhere)]);
      return;
    }
    const list = listOf.get(typeUrl);
    if (list === undefined) throw new Error(`nobody asked for ${typeUrl}`);
    this.#keep(list, resources);
    if (list === 'endpoints' || list === 'routes') this.#answered[list] += resources.length + removed.length;
    this.#send([field(2, typeUrl), field(6, nonce)]);
    const { seen } = this;
    seen.responses += 1;
    seen.bytes += resources.reduce((sum, { body }) => sum + body.length, 0);
    if (removed.includes(nowhere)) seen.isThrough = true;
    if (list === 'endpoints') seen.endpointResponses += 1;
    seen.lastAckMs = nowMs();
    if (list === 'clusters') this.#subscribe('endpoints', namesOf(resources, /^outbound\|/));
    if (list === 'listeners') this.#subscribe('routes', routesOf(resources));
  }

  #keep(list: ConfigurationList, resources: readonly ReadResource[]): void {
    for (const { name, version } of resources) {
      const id = entries.idOf(name, version);
      this.#known[list].set(entries.names[id] ?? name, id);
    }
  }

  #subscribe(list: 'endpoints' | 'routes', names: readonly string[]): void {
    const added = names.filter((name) => !this.#asked[list].has(name));
    if (added.length === 0) return;
    for (const name of added) this.#asked[list].add(name);
    this.#send([field(2, configurationTypes[list].typeUrl), ...added.map((name) => field(3, name))]);
  }
}

function nothing(): Seen {
  return { responses: 0, endpointResponses: 0, bytes: 0, isThrough: false, lastAckMs: 0 };
}

function namesOf(resources: readonly ReadResource[], pattern: RegExp): readonly string[] {
  return resources.map(({ name }) => name).filter((name) => pattern.test(name));
}

/** Those of the first client: all proxies of the mesh reach the same services. */
function routesOf(resources: readonly ReadResource[]): readonly string[] {
  routesOfAll ??= resources.flatMap(({ body }) => {
    const text = JSON.stringify(decodeMessage('google.protobuf.Any', body));
    return [...text.matchAll(/"route_config_name":"([^"]+)"/g)].map(([, name = '']) => name);
  });
  return routesOfAll;
}
