import { type FieldSchema, isEnum, jsonName, lookupType } from './schema.ts';
import { wrappers } from './well-known.ts';
import { createWriter, type Scalar, scalarCodecs, type Writer } from './wire.ts';

/** An Any whose message is encoded already: what a server keeps of a resource. */
export interface PackedAny {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/**
 * Protobuf's binary form of a message in ProtoJSON, with fields by number and map entries by key, so that equal
 * messages have equal bytes. Anys are encoded as their `@type` says, or given as PackedAny. The input must have passed
 * the checker: here a wrong value is a bug, and throws or is not seen.
 */
export function encodeMessage(typeName: string, json: unknown): Uint8Array {
  const writer = createWriter();
  messageEncoder(typeName)(writer, json);
  return writer.finish();
}

/** Writes the fields of a message, without tag and length. */
type Encode = (writer: Writer, value: unknown) => void;

const encoders = new Map<string, Encode>();

function messageEncoder(name: string): Encode {
  let encode = encoders.get(name);
  if (encode === undefined) {
    encode = wellKnownEncoder(name) ?? compile(name);
    encoders.set(name, encode);
  }
  return encode;
}

function compile(name: string): Encode {
  const schema = lookupType(name);
  if (isEnum(schema)) throw new Error(`${name} is an enum, not a message`);
  const oneofMembers = new Set(Object.values(schema.oneofs ?? {}).flatMap(({ oneof }) => oneof));
  const fields = new Map<string, EncodedField>();
  for (const [field, fieldSchema] of Object.entries(schema.fields)) {
    const encoded = { id: fieldSchema.id, encode: fieldEncoder(fieldSchema, oneofMembers.has(field)) };
    fields.set(jsonName(field), encoded).set(field, encoded);
  }
  return (writer, value) => {
    const object = value as Record<string, unknown>;
    const present: { readonly field: EncodedField; readonly item: unknown }[] = [];
    for (const key in object) {
      const field = fields.get(key);
      const item = object[key];
      if (field !== undefined && item !== undefined && item !== null) present.push({ field, item });
    }
    present.sort((a, b) => a.field.id - b.field.id);
    for (const { field, item } of present) field.encode(writer, item);
  };
}

interface EncodedField {
  readonly id: number;
  readonly encode: Encode;
}

function fieldEncoder(field: FieldSchema, hasPresence: boolean): Encode {
  const value = valueEncoder(field.type);
  if (field.keyType !== undefined) return mapEncoder(field, value);
  const tag = (field.id << 3) | value.wireType;
  if (field.rule !== 'repeated') {
    return (writer, item) => {
      if (hasPresence || !value.isDefault(item)) value.write(writer.uint32(tag), item);
    };
  }
  if (value.wireType === 2) {
    return (writer, items) => {
      for (const item of items as unknown[]) value.write(writer.uint32(tag), item);
    };
  }
  return (writer, items) => {
    if ((items as unknown[]).length === 0) return;
    writer.uint32((field.id << 3) | 2).fork();
    for (const item of items as unknown[]) value.write(writer, item);
    writer.ldelim();
  };
}

function mapEncoder(field: FieldSchema, value: ValueEncoder): Encode {
  const key = valueEncoder(field.keyType ?? 'string');
  const tag = (field.id << 3) | 2;
  return (writer, entries) => {
    for (const name of Object.keys(entries as object).sort()) {
      writer.uint32(tag).fork();
      key.write(writer.uint32((1 << 3) | key.wireType), name);
      value.write(writer.uint32((2 << 3) | value.wireType), (entries as Record<string, unknown>)[name]);
      writer.ldelim();
    }
  };
}

type ValueEncoder = Pick<Scalar, 'wireType' | 'write' | 'isDefault'>;

function valueEncoder(type: string): ValueEncoder {
  const scalar = scalarCodecs[type];
  if (scalar !== undefined) return scalar;
  const name = type.slice(1);
  const schema = lookupType(name);
  if (isEnum(schema)) {
    const number = (value: unknown): number =>
      (typeof value === 'string' ? schema.values[value] : Number(value)) ?? Number.NaN;
    return {
      wireType: 0,
      write: (writer, value) => writer.int32(number(value)),
      isDefault: (value) => number(value) === 0,
    };
  }
  return {
    wireType: 2,
    write: (writer, value) => {
      messageEncoder(name)(writer.fork(), value);
      writer.ldelim();
    },
    isDefault: () => false,
  };
}

function wellKnownEncoder(name: string): Encode | undefined {
  const wrapped = wrappers[name];
  if (wrapped !== undefined) return fieldEncoder({ id: 1, type: wrapped }, false);
  return wellKnown[name];
}

const wellKnown: Readonly<Record<string, Encode>> = {
  'google.protobuf.Any': encodeAny,
  'google.protobuf.Duration': (writer, value) => {
    const [, sign = '', seconds = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?s$/.exec(value as string) ?? [];
    encodeTime(writer, BigInt(sign + seconds), Number(sign + fraction.padEnd(9, '0')));
  },
  'google.protobuf.Timestamp': (writer, value) => {
    const fraction = /\.(\d+)/.exec(value as string)?.[1] ?? '';
    encodeTime(writer, BigInt(Math.floor(Date.parse(value as string) / 1000)), Number(fraction.padEnd(9, '0')));
  },
  'google.protobuf.Struct': (writer, value) => structFields(writer, value),
  'google.protobuf.ListValue': (writer, value) => listValues(writer, value),
  'google.protobuf.Value': encodeValue,
};

function encodeTime(writer: Writer, seconds: bigint, nanos: number): void {
  fieldEncoder({ id: 1, type: 'int64' }, false)(writer, seconds.toString());
  fieldEncoder({ id: 2, type: 'int32' }, false)(writer, nanos);
}

function encodeAny(writer: Writer, value: unknown): void {
  const { typeUrl, value: packed } = value as Partial<PackedAny>;
  if (typeUrl !== undefined && packed instanceof Uint8Array) {
    writer.uint32(10).string(typeUrl).uint32(18).bytes(packed);
    return;
  }
  const { '@type': url } = value as { readonly '@type': string };
  const name = url.slice(url.lastIndexOf('/') + 1);
  writer.uint32(10).string(url);
  const body = createWriter();
  const encode = wellKnownEncoder(name);
  if (encode !== undefined) encode(body, packed);
  else messageEncoder(name)(body, value);
  const bytes = body.finish();
  if (bytes.length > 0) writer.uint32(18).bytes(bytes);
}

function encodeValue(writer: Writer, value: unknown): void {
  if (value === null) writer.uint32(8).int32(0);
  else if (typeof value === 'number') writer.uint32(17).double(value);
  else if (typeof value === 'string') writer.uint32(26).string(value);
  else if (typeof value === 'boolean') writer.uint32(32).bool(value);
  else if (Array.isArray(value)) listValues(writer.uint32(50).fork(), value).ldelim();
  else structFields(writer.uint32(42).fork(), value).ldelim();
}

function structFields(writer: Writer, value: unknown): Writer {
  for (const key of Object.keys(value as object).sort()) {
    writer.uint32(10).fork().uint32(10).string(key).uint32(18).fork();
    encodeValue(writer, (value as Record<string, unknown>)[key]);
    writer.ldelim().ldelim();
  }
  return writer;
}

function listValues(writer: Writer, value: unknown): Writer {
  for (const item of value as unknown[]) {
    encodeValue(writer.uint32(10).fork(), item);
    writer.ldelim();
  }
  return writer;
}
