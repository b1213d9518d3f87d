import { encodeMessage } from '../envoy/api/encode.ts';
import { createReader, type Reader } from '../envoy/api/wire.ts';
import type { DeltaResponse, DiscoveryNode, ErrorDetail } from './message.ts';

/** What a client of the incremental form says; what is absent is not sent. */
export interface DeltaAsk {
  readonly typeUrl: string;
  readonly node?: DiscoveryNode;
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
  readonly initialVersions?: Readonly<Record<string, string>>;
  readonly nonce?: string;
  readonly error?: ErrorDetail;
}

/** `envoy.service.discovery.v3.DeltaDiscoveryRequest` as bytes. */
export function encodeDeltaAsk(ask: DeltaAsk): Buffer {
  const { node, typeUrl, subscribe, unsubscribe, initialVersions, nonce, error } = ask;
  const bytes = encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryRequest', {
    ...(node && { node: nodeOf(node) }),
    type_url: typeUrl,
    resource_names_subscribe: subscribe,
    resource_names_unsubscribe: unsubscribe,
    initial_resource_versions: initialVersions,
    response_nonce: nonce,
    error_detail: error,
  });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function nodeOf({ id, envoyVersion }: DiscoveryNode): object {
  const [major = 0, minor = 0, patch = 0] = envoyVersion.split('.').map(Number);
  const version = { major_number: major, minor_number: minor, patch };
  return { id, ...(envoyVersion !== '' && { user_agent_build_version: { version } }) };
}

/** Why a response cannot be taken, though its nonce is known. */
export interface ReadResponse {
  readonly response: DeltaResponse;
  readonly problem: string | undefined;
}

/**
 * Reads `envoy.service.discovery.v3.DeltaDiscoveryResponse`, whose resources stay bytes. Of each, its type and the name in
 * it are compared with what the response says; the rest is for Envoy to judge. Throws where the bytes are no response.
 */
export function readDeltaResponse(bytes: Uint8Array): ReadResponse {
  const made = { typeUrl: '', systemVersion: '', nonce: '' };
  const resources: ReadResource[] = [];
  const removed: string[] = [];
  readFields(createReader(bytes), bytes.length, {
    1: (reader) => (made.systemVersion = reader.string()),
    2: (reader) => resources.push(readResource(reader)),
    4: (reader) => (made.typeUrl = reader.string()),
    5: (reader) => (made.nonce = reader.string()),
    6: (reader) => removed.push(reader.string()),
  });
  const response = { ...made, resources, removed };
  return { response, problem: problemOf(made.typeUrl, resources) };
}

interface ReadResource {
  name: string;
  version: string;
  type: string;
  body: Uint8Array;
}

function readResource(reader: Reader): ReadResource {
  const resource: ReadResource = { name: '', version: '', type: '', body: new Uint8Array() };
  const end = reader.uint32() + reader.pos;
  readFields(reader, end, {
    1: () => (resource.version = reader.string()),
    2: () => {
      const anyEnd = reader.uint32() + reader.pos;
      readFields(reader, anyEnd, {
        1: () => (resource.type = reader.string()),
        // A copy: the whole message would live as long as one resource of it.
        2: () => (resource.body = Uint8Array.from(reader.bytes())),
      });
    },
    3: () => (resource.name = reader.string()),
  });
  return resource;
}

function readFields(reader: Reader, end: number, fields: Readonly<Record<number, (reader: Reader) => unknown>>): void {
  if (end > reader.len) throw new Error('the message is cut off');
  while (reader.pos < end) {
    const tag = reader.uint32();
    const read = (tag & 7) === 2 ? fields[tag >>> 3] : undefined;
    if (read === undefined) reader.skipType(tag & 7);
    else read(reader);
  }
  if (reader.pos !== end) throw new Error('a field is longer than its message');
}

function problemOf(typeUrl: string, resources: readonly ReadResource[]): string | undefined {
  const names = new Set<string>();
  for (const { name, version, type, body } of resources) {
    if (name === '' || version === '') return 'a resource has no name or no version';
    if (names.has(name)) return `${name}: it comes twice`;
    names.add(name);
    if (type !== typeUrl) return `${name}: it is of the type "${type}", expected "${typeUrl}"`;
    const own = nameIn(body);
    if (own !== name) return own === undefined ? `${name}: it is cut off` : `${name}: the resource is named "${own}"`;
  }
  return undefined;
}

/** The first field of clusters, endpoints, listeners and routes is their name; undefined: these bytes are no message. */
function nameIn(body: Uint8Array): string | undefined {
  let name = '';
  try {
    readFields(createReader(body), body.length, { 1: (reader) => (name = reader.string()) });
  } catch {
    // What protobuf throws says nothing to people.
    return undefined;
  }
  return name;
}
