import { unlink } from 'node:fs/promises';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { type EnvoyConfig, messageTypes, type Resource } from '../../src/compiler/render/resource.ts';
import { encodeMessage } from '../../src/envoy/api/encode.ts';
import { versionOf } from '../../src/output/served-versions.ts';
import { deltaCodec } from '../../src/xds/codec.ts';
import type { DeltaRequest } from '../../src/xds/message.ts';

/** Clusters with their endpoints before what names them. */
const order = ['clusters', 'endpoints', 'listeners', 'routes'] as const;
type List = (typeof order)[number];

const typeUrls: Readonly<Record<List, string>> = {
  clusters: `type.googleapis.com/${messageTypes.cluster}`,
  endpoints: `type.googleapis.com/${messageTypes.endpoints}`,
  listeners: `type.googleapis.com/${messageTypes.listener}`,
  routes: `type.googleapis.com/${messageTypes.route}`,
};

/** What one stream wants of one type, and has been sent. */
interface Subscription {
  /** Undefined: everything. */
  readonly names: Set<string> | undefined;
  readonly sent: Map<string, string>;
}

type Call = ServerDuplexStream<Buffer, Buffer>;

/** A control plane of one configuration, for tests: delta ADS on a Unix socket, without a queue or a limit. */
export class AdsServer {
  /** What clients refused, in their words. */
  readonly refusals: string[] = [];
  /** Of which type each response was. */
  readonly answered: List[] = [];
  readonly #server = new Server();
  readonly #streams = new Map<Call, Map<List, Subscription>>();
  readonly #path: string;
  #config: EnvoyConfig;

  constructor(path: string, config: EnvoyConfig) {
    this.#path = path;
    this.#config = config;
  }

  async start(): Promise<void> {
    const asIs = (bytes: Buffer): Buffer => bytes;
    const service = {
      deltaAggregatedResources: {
        path: '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
        ...{ requestStream: true, responseStream: true },
        ...{ requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs },
      },
    };
    this.#server.addService(service, { deltaAggregatedResources: (call: Call) => this.#open(call) });
    await new Promise<void>((resolve, reject) => {
      this.#server.bindAsync(`unix:${this.#path}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  }

  /** Sends what differs to every client. */
  serve(config: EnvoyConfig): void {
    this.#config = config;
    for (const call of this.#streams.keys()) for (const list of order) this.#send(call, list, false);
  }

  async close(): Promise<void> {
    this.#server.forceShutdown();
    await unlink(this.#path).catch(() => undefined);
  }

  #open(call: Call): void {
    this.#streams.set(call, new Map());
    call.on('data', (bytes: Buffer) => this.#hear(call, deltaCodec.decode(bytes)));
    call.on('error', () => this.#streams.delete(call));
    call.on('end', () => {
      this.#streams.delete(call);
      call.end();
    });
  }

  #hear(call: Call, { typeUrl, subscribe, unsubscribe, errorDetail }: DeltaRequest): void {
    if (errorDetail !== undefined) this.refusals.push(errorDetail.message);
    const list = order.find((it) => typeUrls[it] === typeUrl);
    const types = this.#streams.get(call);
    if (list === undefined || types === undefined) return;
    const isFirst = !types.has(list);
    const names = subscribe.length === 0 && isFirst ? undefined : new Set<string>();
    const { names: wanted, sent } = types.get(list) ?? { names, sent: new Map<string, string>() };
    types.set(list, { names: wanted, sent });
    for (const name of unsubscribe) for (const known of [wanted, sent]) known?.delete(name);
    for (const name of subscribe) {
      wanted?.add(name);
      // A subscription is answered, even with what the client has.
      sent.delete(name);
    }
    if (isFirst || subscribe.length > 0) this.#send(call, list, isFirst);
  }

  #send(call: Call, list: List, isAnswer: boolean): void {
    const subscription = this.#streams.get(call)?.get(list);
    if (subscription === undefined) return;
    const { names, sent } = subscription;
    const served = new Map(this.#config[list].map((resource) => [resource.name, resource]));
    const wanted = [...served.values()].filter(({ name }) => names === undefined || names.has(name));
    const changed = wanted.filter((resource) => sent.get(resource.name) !== versionOf(resource));
    const removed = [...sent.keys()].filter((name) => !served.has(name));
    if (changed.length === 0 && removed.length === 0 && !isAnswer) return;
    for (const resource of changed) sent.set(resource.name, versionOf(resource));
    for (const name of removed) sent.delete(name);
    const nonce = String(this.answered.push(list));
    const resources = changed.map(bodyOf);
    call.write(deltaCodec.encode({ typeUrl: typeUrls[list], systemVersion: '', nonce, resources, removed }));
  }
}

function bodyOf(resource: Resource) {
  const body = encodeMessage(messageTypes[resource.type], resource.json);
  return { name: resource.name, version: versionOf(resource), body };
}
