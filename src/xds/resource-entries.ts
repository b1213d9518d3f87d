/** A resource as it stands in a response; where it has no name or no version, that is not written. */
export interface Entry {
  readonly name?: string;
  readonly version?: string;
  readonly body: Uint8Array;
}

/** Of `resources` in both responses, of `envoy.service.discovery.v3.Resource` and of `google.protobuf.Any`. */
const tags = { resources: 0x12, version: 0x0a, resource: 0x12, name: 0x1a, type: 0x0a, value: 0x12 };

/**
 * The field `resources` of a response in the incremental form, between what stands before and after it. All is written into
 * one buffer: a first response has thousands of resources and megabytes, and each stream gets one of its own.
 */
export function writeEntries(head: Uint8Array, typeUrl: string, entries: readonly Entry[], tail: Uint8Array): Buffer {
  const type = new TypeBytes(typeUrl);
  const sizes = entries.map(({ name = '', version = '', body }) => {
    const any = type.anySize(body);
    const [nameBytes, versionBytes] = [Buffer.byteLength(name), Buffer.byteLength(version)];
    return { any, nameBytes, versionBytes, all: fieldSize(versionBytes) + sizeWithLength(any) + fieldSize(nameBytes) };
  });
  const length = sizes.reduce((sum, { all }) => sum + sizeWithLength(all), head.length + tail.length);
  const writer = new Writer(length);
  writer.raw(head);
  for (const [i, { name = '', version = '', body }] of entries.entries()) {
    const size = sizes[i] as (typeof sizes)[number];
    writer.begin(tags.resources, size.all);
    writer.text(tags.version, version, size.versionBytes);
    writer.begin(tags.resource, size.any);
    type.writeAny(writer, body);
    writer.text(tags.name, name, size.nameBytes);
  }
  writer.raw(tail);
  return writer.bytes;
}

/** The same of a response in the form of the state of the world, where a resource stands without a name. */
export function writeBodies(
  head: Uint8Array,
  typeUrl: string,
  bodies: readonly Uint8Array[],
  tail: Uint8Array,
): Buffer {
  const type = new TypeBytes(typeUrl);
  const length = bodies.reduce((sum, body) => sum + sizeWithLength(type.anySize(body)), head.length + tail.length);
  const writer = new Writer(length);
  writer.raw(head);
  for (const body of bodies) {
    writer.begin(tags.resources, type.anySize(body));
    type.writeAny(writer, body);
  }
  writer.raw(tail);
  return writer.bytes;
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
    if (length === 0) return;
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
