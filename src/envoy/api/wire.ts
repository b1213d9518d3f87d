import protobuf from 'protobufjs/minimal.js';

export type Writer = protobuf.Writer;
export type Reader = protobuf.Reader;

/** A scalar of protobuf's on the wire and in JSON. */
export interface Scalar {
  /** 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes. */
  readonly wireType: number;
  write(writer: Writer, value: unknown): void;
  /** The ProtoJSON form: 64-bit integers as decimal text, bytes as base64. */
  read(reader: Reader): unknown;
  /** Whether the value is the default, which proto3 does not write for a field without presence. */
  isDefault(value: unknown): boolean;
}

export function createWriter(): Writer {
  return protobuf.Writer.create();
}

/** The bytes of base64 that `scalarCodecs` has read. */
export function bytesOf(base64: string): Uint8Array {
  const bytes = new Uint8Array(protobuf.util.base64.length(base64));
  protobuf.util.base64.decode(base64, bytes, 0);
  return bytes;
}

export function createReader(bytes: Uint8Array): Reader {
  return protobuf.Reader.create(bytes);
}

const isZero = (value: unknown): boolean => Number(value) === 0;

/** By protobuf's name of the type. Values come in any form that ProtoJSON allows and the checker has passed. */
export const scalarCodecs: Readonly<Record<string, Scalar>> = {
  string: {
    wireType: 2,
    write: (writer, value) => writer.string(value as string),
    read: (reader) => reader.string(),
    isDefault: (value) => value === '',
  },
  bytes: {
    wireType: 2,
    // A writer takes bytes as base64 too, in either alphabet.
    write: (writer, value) => writer.bytes(value as string),
    read: (reader) => {
      const bytes = reader.bytes();
      return protobuf.util.base64.encode(bytes, 0, bytes.length);
    },
    isDefault: (value) => value === '',
  },
  bool: {
    wireType: 0,
    write: (writer, value) => writer.bool(value as boolean),
    read: (reader) => reader.bool(),
    isDefault: (value) => value === false,
  },
  double: {
    wireType: 1,
    write: (writer, value) => writer.double(Number(value)),
    read: (reader) => floatJson(reader.double()),
    isDefault: (value) => Object.is(Number(value), 0),
  },
  float: {
    wireType: 5,
    write: (writer, value) => writer.float(Number(value)),
    read: (reader) => floatJson(reader.float()),
    isDefault: (value) => Object.is(Number(value), 0),
  },
  int32: {
    wireType: 0,
    write: (writer, value) => writer.int32(Number(value)),
    read: (reader) => reader.int32(),
    isDefault: isZero,
  },
  uint32: {
    wireType: 0,
    write: (writer, value) => writer.uint32(Number(value)),
    read: (reader) => reader.uint32(),
    isDefault: isZero,
  },
  int64: {
    wireType: 0,
    write: (writer, value) => writer.int64(wideInteger(value)),
    read: (reader) => BigInt.asIntN(64, readWide(reader)).toString(),
    isDefault: isZero,
  },
  uint64: {
    wireType: 0,
    write: (writer, value) => writer.uint64(wideInteger(value)),
    read: (reader) => readWide(reader).toString(),
    isDefault: isZero,
  },
};

/** ProtoJSON writes what JSON has no number for as text. */
function floatJson(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

type Wide = Parameters<Writer['uint64']>[0];

/** Two halves, as protobufjs takes them without a library for long integers. */
function wideInteger(value: unknown): Wide {
  const text = String(value);
  const number = BigInt.asUintN(64, BigInt(/^-?\d+$/.test(text) ? text : Number(text)));
  const [low, high] = [Number(number & 0xffff_ffffn) | 0, Number(number >> 32n) | 0];
  return { low, high, unsigned: true } as Wide;
}

/** protobufjs gives a number, which would lose digits: the varint is read byte by byte. */
function readWide(reader: Reader): bigint {
  let result = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.buf[reader.pos];
    if (byte === undefined) throw new RangeError('the message ends within a number');
    reader.pos += 1;
    result |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return BigInt.asUintN(64, result);
}
