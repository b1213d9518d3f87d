/** A protobuf message whose fields are all strings, by their numbers; a number may come several times. */
export function stringFields(fields: Iterable<readonly [number: number, text: string]>): Buffer {
  return Buffer.concat([...fields].map(([number, text]) => stringField(number, text)));
}

/** The strings of such a message by the numbers of their fields; undefined: these bytes are none. */
export function readStringFields(body: Uint8Array): ReadonlyMap<number, readonly string[]> | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const texts = new Map<number, string[]>();
  for (let at = 0; at < bytes.length; ) {
    const field = (bytes[at] ?? 0) >> 3;
    const { value: length, next } = readLength(bytes, at + 1);
    if (((bytes[at] ?? 0) & 7) !== 2 || next + length > bytes.length) return undefined;
    const text = bytes.toString('utf8', next, next + length);
    texts.set(field, [...(texts.get(field) ?? []), text]);
    at = next + length;
  }
  return texts;
}

function stringField(number: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = [(number << 3) | 2];
  let left = bytes.length;
  for (; left > 127; left >>>= 7) head.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([...head, left]), bytes]);
}

function readLength(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[at + i] ?? 0;
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return { value, next: at + i + 1 };
  }
  return { value: Number.MAX_SAFE_INTEGER, next: at };
}
