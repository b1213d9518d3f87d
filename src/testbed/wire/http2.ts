import type { WireAnswer } from './answer.ts';

/** Header fields in the order in which they are sent, pseudo headers among them; one character a byte (latin1). */
export type HeaderFields = readonly (readonly [name: string, value: string])[];

const frameTypes = { data: 0, headers: 1, resetStream: 3, settings: 4, goAway: 7, continuation: 9 } as const;
const endStream = 0x1;
const endHeaders = 0x4;
const headerTableSize = 0x1;
/** Until the peer allows more. */
const mostOfFrame = 16_384;

/**
 * A whole HTTP/2 connection with one request, as raw frames: libraries refuse to send what an attacker sends. Every
 * field is a literal without indexing (RFC 7541 section 6.2.2), without Huffman coding. With `isOpen` the request does not end
 * with its headers: a body, which is never sent, is still to come.
 */
export function http2Request(fields: HeaderFields, isOpen = false): Buffer {
  // No dynamic table: so the answer can be read without keeping one.
  const settings = Buffer.from([0, headerTableSize, 0, 0, 0, 0]);
  const block = Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0]), stringLiteral(name), stringLiteral(value)]),
  );
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(frameTypes.settings, 0, 0, settings),
    ...headerFrames(block, isOpen),
  ]);
}

/** A block that is too long for one frame goes on in others. */
function headerFrames(block: Buffer, isOpen: boolean): readonly Buffer[] {
  const parts = Array.from({ length: Math.max(1, Math.ceil(block.length / mostOfFrame)) }, (_, i) =>
    block.subarray(i * mostOfFrame, (i + 1) * mostOfFrame),
  );
  return parts.map((part, i) => {
    const flags = (i === 0 && !isOpen ? endStream : 0) | (i === parts.length - 1 ? endHeaders : 0);
    return frame(i === 0 ? frameTypes.headers : frameTypes.continuation, flags, 1, part);
  });
}

/** The answer on stream 1 in `received`; undefined while it is incomplete. */
export function readHttp2(received: Buffer): WireAnswer | undefined {
  let status: string | undefined;
  const body: Buffer[] = [];
  for (const { type, flags, stream, payload } of framesOf(received)) {
    if (type === frameTypes.goAway) return { status: 'closed', body: `GOAWAY ${payload.readUInt32BE(4)}` };
    if (stream !== 1) continue;
    if (type === frameTypes.resetStream) return { status: 'reset', body: `RST_STREAM ${payload.readUInt32BE(0)}` };
    // An interim answer (1xx) is followed by another; trailers have no status.
    if (type === frameTypes.headers && (status === undefined || status.startsWith('1'))) status = statusOf(payload);
    if (type === frameTypes.data) body.push(payload);
    if ((flags & endStream) !== 0 && status !== undefined) return { status, body: Buffer.concat(body).toString() };
  }
  return undefined;
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

function* framesOf(received: Buffer): Generator<Frame> {
  for (let at = 0; at + 9 <= received.length; ) {
    const length = received.readUIntBE(at, 3);
    if (at + 9 + length > received.length) return;
    yield {
      type: received.readUInt8(at + 3),
      flags: received.readUInt8(at + 4),
      stream: received.readUInt32BE(at + 5) & 0x7fffffff,
      payload: received.subarray(at + 9, at + 9 + length),
    };
    at += 9 + length;
  }
}

/** Length with a seven-bit prefix (RFC 7541 section 5.1), then the bytes. */
function stringLiteral(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const length = [];
  if (bytes.length < 127) length.push(bytes.length);
  else {
    length.push(127);
    let rest = bytes.length - 127;
    for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** Indices 8 to 14 of the static table (RFC 7541 appendix A) are `:status` with these values. */
const indexedStatuses = ['200', '204', '206', '304', '400', '404', '500'];

/** `:status` stands first in every answer, after a change of the table's size; its value may be Huffman coded. */
function statusOf(block: Buffer): string {
  let at = 0;
  while ((block.readUInt8(at) & 0xe0) === 0x20) at += 1;
  const first = block.readUInt8(at);
  const indexed = (first & 0x80) === 0 ? undefined : indexedStatuses[(first & 0x7f) - 8];
  if (indexed !== undefined) return indexed;
  const length = block.readUInt8(at + 1);
  const value = block.subarray(at + 2, at + 2 + (length & 0x7f));
  return (length & 0x80) === 0 ? value.toString('latin1') : huffmanDigits(value);
}

/** Digits in the code of RFC 7541 appendix B: 0 to 2 are five bits 00000 to 00010, 3 to 9 six bits 011001 to 011111. */
function huffmanDigits(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let digits = '';
  for (let at = 0; digits.length < 3; ) {
    const five = Number.parseInt(bits.slice(at, at + 5), 2);
    const six = Number.parseInt(bits.slice(at, at + 6), 2);
    if (five > 2 && (six < 25 || six > 31)) throw new Error(`":status" is not three digits: ${bits}`);
    digits += String(five <= 2 ? five : six - 22);
    at += five <= 2 ? 5 : 6;
  }
  return digits;
}
