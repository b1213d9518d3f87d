import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { decodeMessage } from '../envoy/api/decode.ts';
import { encodeMessage } from '../envoy/api/encode.ts';

/** A request as the server understands it, in either form of the protocol. */
export interface HeardRequest {
  readonly type_url: string;
  readonly response_nonce?: string;
  readonly version_info?: string;
  readonly initial_resource_versions?: Readonly<Record<string, string>>;
  readonly resource_names_subscribe?: readonly string[];
  readonly error_detail?: { readonly message: string };
  readonly node?: { readonly id: string };
}

/** What the server has of one object. */
export interface ServedObject {
  readonly version: string;
  /** `istio.mcp.v1alpha1.Resource`. */
  readonly body: Buffer;
}

const discovery = 'envoy.service.discovery.v3';
const envelope = 'type.googleapis.com/istio.mcp.v1alpha1.Resource';

type Call = ServerDuplexStream<Buffer, Buffer>;

/**
 * A configuration server of a test: it keeps objects by type and name, and sends each stream all of a type when it is asked
 * for, and later what has changed; in the state-of-the-world form all of the type.
 */
export class ConfigurationServer {
  readonly heard: HeardRequest[] = [];
  readonly #types = new Map<string, Map<string, ServedObject>>();
  readonly #streams = new Map<Call, { readonly isDelta: boolean; readonly types: Set<string> }>();
  #server: Server | undefined;
  #nonce = 0;
  port = 0;

  /** Listens on loopback, where it did before if it is started again. */
  async start(credentials = ServerCredentials.createInsecure()): Promise<void> {
    const server = new Server();
    const asIs = (bytes: Buffer): Buffer => bytes;
    const method = (name: string) => ({
      ...{ path: `/${discovery}.AggregatedDiscoveryService/${name}`, requestStream: true, responseStream: true },
      ...{ requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs },
    });
    server.addService(
      { delta: method('DeltaAggregatedResources'), state: method('StreamAggregatedResources') },
      { delta: (call: Call) => this.#open(call, true), state: (call: Call) => this.#open(call, false) },
    );
    this.port = await new Promise((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${this.port}`, credentials, (error, port) => (error ? reject(error) : resolve(port)));
    });
    this.#server = server;
  }

  /** Ends all streams, and is gone. */
  stop(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
    this.#streams.clear();
  }

  /** Puts objects; undefined takes one away. All streams that follow the type are told. */
  put(typeUrl: string, objects: Readonly<Record<string, ServedObject | undefined>>): void {
    const known = this.#types.get(typeUrl) ?? new Map<string, ServedObject>();
    this.#types.set(typeUrl, known);
    for (const [name, object] of Object.entries(objects)) {
      if (object === undefined) known.delete(name);
      else known.set(name, object);
    }
    for (const [call, { isDelta, types }] of this.#streams) {
      if (types.has(typeUrl)) this.#send(call, typeUrl, isDelta ? Object.keys(objects) : undefined);
    }
  }

  #open(call: Call, isDelta: boolean): void {
    const types = new Set<string>();
    this.#streams.set(call, { isDelta, types });
    call.on('error', () => undefined);
    call.on('close', () => this.#streams.delete(call));
    call.on('end', () => call.end());
    call.on('data', (bytes: Buffer) => {
      const request = decodeMessage(`${discovery}.${isDelta ? 'Delta' : ''}DiscoveryRequest`, bytes) as HeardRequest;
      this.heard.push(request);
      const { type_url: typeUrl, initial_resource_versions: has = {} } = request;
      if (types.has(typeUrl)) return;
      types.add(typeUrl);
      const known = this.#types.get(typeUrl) ?? new Map<string, ServedObject>();
      const names = [...new Set([...known.keys(), ...Object.keys(has)])];
      this.#send(call, typeUrl, isDelta ? names.filter((name) => known.get(name)?.version !== has[name]) : undefined);
    });
  }

  /** Without names all that there is, as the state of the world. */
  #send(call: Call, typeUrl: string, names: readonly string[] | undefined): void {
    const known = this.#types.get(typeUrl) ?? new Map<string, ServedObject>();
    const any = ({ body }: ServedObject) => ({ typeUrl: envelope, value: body });
    this.#nonce += 1;
    const common = { type_url: typeUrl, nonce: String(this.#nonce) };
    const bytes =
      names === undefined
        ? encodeMessage(`${discovery}.DiscoveryResponse`, {
            ...common,
            version_info: String(this.#nonce),
            resources: [...known.values()].map(any),
          })
        : encodeMessage(`${discovery}.DeltaDiscoveryResponse`, {
            ...common,
            resources: names.flatMap((name) => {
              const object = known.get(name);
              return object === undefined ? [] : [{ name, version: object.version, resource: any(object) }];
            }),
            removed_resources: names.filter((name) => !known.has(name)),
          });
    call.write(Buffer.from(bytes));
  }
}

/** An object as `istio.mcp.v1alpha1.Resource`, whose body is a Struct; `version` is of its source. */
export function servedObject(name: string, spec: object, version: string): ServedObject {
  const struct = Buffer.from(encodeMessage('google.protobuf.Struct', spec));
  const metadata = Buffer.concat([field(1, name), field(3, version), field(4, mapEntry('app', 'web'))]);
  return { version, body: Buffer.concat([field(1, metadata), field(2, bodyOf('google.protobuf.Struct', struct))]) };
}

/** An Any. */
export function bodyOf(type: string, bytes: Buffer): Buffer {
  return Buffer.concat([field(1, `type.googleapis.com/${type}`), field(2, bytes)]);
}

function mapEntry(key: string, value: string): Buffer {
  return Buffer.concat([field(1, key), field(2, value)]);
}

/** A field of text, or of a message within. */
export function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>= 7) {
    if (rest < 0x80) {
      length.push(rest);
      break;
    }
    length.push((rest & 0x7f) | 0x80);
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}
