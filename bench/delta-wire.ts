/** What a client reads of a response: names and versions, and not what the resources say. */
export interface ReadResponse {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: readonly ReadResource[];
  readonly removed: readonly string[];
}

export interface ReadResource {
  readonly name: string;
  readonly version: string;
  /** Of the Any. */
  readonly body: Buffer;
}

/** A field of a message: text, bytes, or a message within. */
export function field(number: number, value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([Buffer.of((number << 3) | 2), varint(bytes.length), bytes]);
}

/** A message as gRPC frames it. */
export function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** `envoy.service.discovery.v3.DeltaDiscoveryResponse`, field by field. */
export function readResponse(bytes: Buffer): ReadResponse {
  let [typeUrl, nonce] = ['', ''];
  const resources: ReadResource[] = [];
  const removed: string[] = [];
  eachField(bytes, (number, value) => {
    if (number === 2) resources.push(readResource(value));
    else if (number === 4) typeUrl = value.toString();
    else if (number === 5) nonce = value.toString();
    else if (number === 6) removed.push(value.toString());
  });
  return { typeUrl, nonce, resources, removed };
}

function readResource(bytes: Buffer): ReadResource {
  let [name, version] = ['', ''];
  let body = bytes;
  eachField(bytes, (number, value) => {
    if (number === 1) version = value.toString('latin1');
    else if (number === 2) body = value;
    else if (number === 3) name = value.toString('latin1');
  });
  return { name, version, body };
}

/** Calls with each field of text, bytes or messages; there are no others in what is read here. */
function eachField(bytes: Buffer, take: (number: number, value: Buffer) => void): void {
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at++] ?? 0;
    if ((tag & 7) !== 2) throw new Error(`a field of another form: tag ${tag}`);
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const octet = bytes[at++] ?? 0;
      length |= (octet & 0x7f) << shift;
      if (octet < 0x80) break;
    }
    take(tag >> 3, bytes.subarray(at, at + length));
    at += length;
  }
}

function varint(value: number): Buffer {
  const octets: number[] = [];
  let rest = value;
  for (; rest >= 128; rest >>>= 7) octets.push((rest & 0x7f) | 0x80);
  return Buffer.from([...octets, rest]);
}
