/** One value of DER (X.690, section 10). */
export interface DerValue {
  /** The first octet: class, form and number. */
  readonly tag: number;
  readonly content: Buffer;
  /** Tag and length with the content, as they stood. */
  readonly whole: Buffer;
}

/** The bytes are no DER; the message names no byte of them. */
export class DerError extends Error {}

/** Tag octets that PKCS #10 and X.509 use. */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The context-specific tag `[number]`. */
export function contextTag(number: number, isConstructed: boolean): number {
  return (isConstructed ? 0xa0 : 0x80) | number;
}

/** The one value that the bytes hold, with nothing behind it. */
export function readDer(bytes: Buffer): DerValue {
  const value = readFirst(bytes);
  if (value.whole.length !== bytes.length) throw new DerError('bytes follow the value');
  return value;
}

/** The values inside a constructed one, or inside the content of an octet string. */
export function readChildren(value: DerValue): readonly DerValue[] {
  const children: DerValue[] = [];
  let rest = value.content;
  while (rest.length > 0) {
    const child = readFirst(rest);
    children.push(child);
    rest = rest.subarray(child.whole.length);
  }
  return children;
}

/** The children of a value that must have the tag. */
export function readConstructed(value: DerValue | undefined, expected: number): readonly DerValue[] {
  if (value?.tag !== expected) throw new DerError('a value has another type than its place asks for');
  return readChildren(value);
}

function readFirst(bytes: Buffer): DerValue {
  const [tagOctet, lengthOctet] = bytes;
  if (tagOctet === undefined || lengthOctet === undefined) throw new DerError('a value is cut short');
  if ((tagOctet & 0x1f) === 0x1f) throw new DerError('a tag has more than one octet');
  const { length, size } = readLength(bytes, lengthOctet);
  const end = 1 + size + length;
  if (end > bytes.length) throw new DerError('a value is cut short');
  return { tag: tagOctet, content: bytes.subarray(1 + size, end), whole: bytes.subarray(0, end) };
}

/** Definite and as short as it can be (X.690, 10.1): another form is another reading somewhere else. */
function readLength(bytes: Buffer, first: number): { readonly length: number; readonly size: number } {
  if (first < 0x80) return { length: first, size: 1 };
  const octets = first & 0x7f;
  if (octets === 0 || octets > 4 || bytes.length < 2 + octets) throw new DerError('a length is not in DER');
  const length = bytes.readUIntBE(2, octets);
  if (length < 0x80 || length < 256 ** (octets - 1)) throw new DerError('a length is not in DER');
  return { length, size: 1 + octets };
}

/** Writes one value. */
export function der(tagOctet: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.of(tagOctet), lengthOctets(length), ...parts]);
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest & 0xff);
  return Buffer.of(0x80 | octets.length, ...octets);
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number);
  return der(tag.oid, Buffer.from([40 * first + second, ...arcs].flatMap(base128)));
}

function base128(arc: number): number[] {
  const octets = [arc & 0x7f];
  for (let rest = arc >>> 7; rest > 0; rest >>>= 7) octets.unshift(0x80 | (rest & 0x7f));
  return octets;
}

/** Whole bytes, no unused bits. */
export function bitString(bytes: Uint8Array): Buffer {
  return der(tag.bitString, Buffer.of(0), bytes);
}

/** UTCTime up to 2049, GeneralizedTime after (RFC 5280, 4.1.2.5); whole seconds. */
export function time(milliseconds: number): Buffer {
  const text = `${new Date(milliseconds).toISOString().replace(/\.\d+Z$|[-:T]/g, '')}Z`;
  return text < '2050' ? der(tag.utcTime, Buffer.from(text.slice(2))) : der(tag.generalizedTime, Buffer.from(text));
}
