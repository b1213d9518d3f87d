/** A resource as it stands in a response; where it has no name or no version, that is not written. */
export interface Entry {
  readonly name?: string;
  readonly version?: string;
  readonly body: Uint8Array;
}

/** What a response says beside its resources; empty texts are not written. */
export interface ResponseTexts {
  /** `version_info` or `system_version_info`: both are field 1. */
  readonly version: string;
  readonly typeUrl: string;
  readonly nonce: string;
  readonly removed?: readonly string[];
}

/** Of both responses. */
const responseTags = { version: 0x0a, resources: 0x12, typeUrl: 0x22, nonce: 0x2a, removed: 0x32 };
/** Of `envoy.service.discovery.v3.Resource` and of `google.protobuf.Any`. */
const tags = { version: 0x0a, resource: 0x12, name: 0x1a, type: 0x0a, value: 0x12 };

/**
 * A response in the incremental form (`DeltaDiscoveryResponse`). All is written into one buffer: a first response has
 * thousands of resources and megabytes, and each stream gets one of its own; a push has one resource for thousands of streams.
 */
export function writeEntries(texts: ResponseTexts, entries: readonly Entry[]): Buffer {
  const type = typeBytesOf(texts.typeUrl);
  const sizes = entries.map(({ name = '', version = '', body }) => {
    const any = type.anySize(body);
    const [nameBytes, versionBytes] = [Buffer.byteLength(name), Buffer.byteLength(version)];
    return { any, nameBytes, versionBytes, all: fieldSize(versionBytes) + sizeWithLength(any) + fieldSize(nameBytes) };
  });
  const around = sizesOf(texts);
  const writer = new Writer(sizes.reduce((sum, { all }) => sum + sizeWithLength(all), around.all));
  writer.text(responseTags.version, texts.version, around.version);
  for (const [i, { name = '', version = '', body }] of entries.entries()) {
    const size = sizes[i] as (typeof sizes)[number];
    writer.begin(responseTags.resources, size.all);
    writer.text(tags.version, version, size.versionBytes);
    writer.begin(tags.resource, size.any);
    type.writeAny(writer, body);
    writer.text(tags.name, name, size.nameBytes);
  }
  writeRest(writer, texts, around);
  return writer.bytes;
}

/** The same in the form of the state of the world (`DiscoveryResponse`), where a resource stands without a name. */
export function writeBodies(texts: ResponseTexts, bodies: readonly Uint8Array[]): Buffer {
  const type = typeBytesOf(texts.typeUrl);
  const around = sizesOf(texts);
  const writer = new Writer(bodies.reduce((sum, body) => sum + sizeWithLength(type.anySize(body)), around.all));
  writer.text(responseTags.version, texts.version, around.version);
  for (const body of bodies) {
    writer.begin(responseTags.resources, type.anySize(body));
    type.writeAny(writer, body);
  }
  writeRest(writer, texts, around);
  return writer.bytes;
}

interface TextSizes {
  readonly version: number;
  readonly typeUrl: number;
  readonly nonce: number;
  readonly removed: readonly number[];
  /** Of all of them, tags and lengths included. */
  readonly all: number;
}

function sizesOf({ version, typeUrl, nonce, removed = [] }: ResponseTexts): TextSizes {
  const sizes = {
    ...{ version: Buffer.byteLength(version), typeUrl: Buffer.byteLength(typeUrl), nonce: Buffer.byteLength(nonce) },
    removed: removed.map((name) => Buffer.byteLength(name)),
  };
  const single = fieldSize(sizes.version) + fieldSize(sizes.typeUrl) + fieldSize(sizes.nonce);
  return { ...sizes, all: sizes.removed.reduce((sum, size) => sum + sizeWithLength(size), single) };
}

/** What stands behind the resources. */
function writeRest(writer: Writer, { typeUrl, nonce, removed = [] }: ResponseTexts, sizes: TextSizes): void {
  writer.text(responseTags.typeUrl, typeUrl, sizes.typeUrl);
  writer.text(responseTags.nonce, nonce, sizes.nonce);
  for (const [i, name] of removed.entries()) writer.element(responseTags.removed, name, sizes.removed[i] ?? 0);
}

const typeBytes = new Map<string, TypeBytes>();

/** A server has few types, and says each of them in every response. */
function typeBytesOf(typeUrl: string): TypeBytes {
  let bytes = typeBytes.get(typeUrl);
  if (bytes === undefined) {
    bytes = new TypeBytes(typeUrl);
    typeBytes.set(typeUrl, bytes);
  }
  return bytes;
}

/** Anys of one type. */
class TypeBytes {
  readonly #bytes: Buffer;

  constructor(typeUrl: string) {
    this.#bytes = Buffer.from(typeUrl);
  }

  anySize(body: Uint8Array): number {
    return sizeWithLength(this.#bytes.length) + sizeWithLength(body.length);
  }

  writeAny(writer: Writer, body: Uint8Array): void {
    writer.begin(tags.type, this.#bytes.length);
    writer.raw(this.#bytes);
    writer.begin(tags.value, body.length);
    writer.raw(body);
  }
}

/** Writes protobuf into a buffer whose size is known before. */
class Writer {
  readonly bytes: Buffer;
  #at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  /** A message of so many bytes begins, or any other field. */
  begin(tag: number, length: number): void {
    this.bytes[this.#at++] = tag;
    let rest = length;
    for (; rest > 0x7f; rest >>>= 7) this.bytes[this.#at++] = (rest & 0x7f) | 0x80;
    this.bytes[this.#at++] = rest;
  }

  /** An empty text is the default, which is not written. */
  text(tag: number, text: string, length: number): void {
    if (length > 0) this.element(tag, text, length);
  }

  /** One of a list, where an empty text counts. */
  element(tag: number, text: string, length: number): void {
    this.begin(tag, length);
    this.#at += this.bytes.write(text, this.#at, length, 'utf8');
  }

  raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }
}

/** Of a field of so many bytes, tag and length included; none where it is empty. */
function fieldSize(length: number): number {
  return length === 0 ? 0 : sizeWithLength(length);
}

function sizeWithLength(length: number): number {
  let size = 2 + length;
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) size++;
  return size;
}
