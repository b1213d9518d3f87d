import { type FieldSchema, isEnum, lookupType } from './schema.ts';
import { wrappers } from './well-known.ts';
import { bytesOf, createReader, type Reader, scalarCodecs } from './wire.ts';

/**
 * The ProtoJSON form, with Envoy's field names, of a message in binary form: defaults left out, 64-bit integers as text,
 * enums by name where they have one, Anys opened (one of a type that the schema lacks keeps its bytes as base64 in
 * `value`). Unknown fields are skipped. Bytes that are no such message throw.
 */
export function decodeMessage(typeName: string, bytes: Uint8Array): unknown {
  return messageDecoder(typeName)(createReader(bytes), bytes.length);
}

type Decode = (reader: Reader, end: number) => unknown;

const decoders = new Map<string, Decode>();

function messageDecoder(name: string): Decode {
  let decode = decoders.get(name);
  if (decode === undefined) {
    decode = wellKnownDecoder(name) ?? compile(name);
    decoders.set(name, decode);
  }
  return decode;
}

interface FieldDecoder {
  readonly name: string;
  /** Reads one value of the field, which has this wire type, into the object. */
  read(reader: Reader, wireType: number, object: Record<string, unknown>): void;
}

function compile(name: string): Decode {
  const schema = lookupType(name);
  if (isEnum(schema)) throw new Error(`${name} is an enum, not a message`);
  const oneofMembers = new Set(Object.values(schema.oneofs ?? {}).flatMap(({ oneof }) => oneof));
  const fields = new Map<number, FieldDecoder>();
  for (const [fieldName, field] of Object.entries(schema.fields)) {
    fields.set(field.id, fieldDecoder(fieldName, field, oneofMembers.has(fieldName)));
  }
  return (reader, end) => {
    const object: Record<string, unknown> = {};
    while (reader.pos < end) {
      const tag = reader.uint32();
      const field = fields.get(tag >>> 3);
      if (field === undefined) reader.skipType(tag & 7);
      else field.read(reader, tag & 7, object);
    }
    return object;
  };
}

function fieldDecoder(name: string, field: FieldSchema, hasPresence: boolean): FieldDecoder {
  const value = valueDecoder(field.type);
  if (field.keyType !== undefined) {
    const key = valueDecoder(field.keyType);
    return { name, read: (reader, _, object) => readEntry(reader, object, name, key, value) };
  }
  if (field.rule === 'repeated') {
    return {
      name,
      read: (reader, wireType, object) => {
        object[name] ??= [];
        const items = object[name] as unknown[];
        if (wireType !== 2 || value.wireType === 2) {
          items.push(value.read(reader));
          return;
        }
        const end = reader.uint32() + reader.pos;
        while (reader.pos < end) items.push(value.read(reader));
      },
    };
  }
  return {
    name,
    read: (reader, _, object) => {
      const item = value.read(reader);
      if (hasPresence || !value.isDefault(item)) object[name] = item;
    },
  };
}

function readEntry(
  reader: Reader,
  object: Record<string, unknown>,
  name: string,
  key: ValueDecoder,
  value: ValueDecoder,
): void {
  const end = reader.uint32() + reader.pos;
  let entryKey = String(key.empty());
  let item: unknown = value.empty();
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) entryKey = String(key.read(reader));
    else if (tag >>> 3 === 2) item = value.read(reader);
    else reader.skipType(tag & 7);
  }
  object[name] ??= {};
  const entries = object[name] as Record<string, unknown>;
  // A plain assignment of this key would make no entry; of any other it takes a tenth of the time of a definition.
  if (entryKey !== '__proto__') entries[entryKey] = item;
  else Object.defineProperty(entries, entryKey, { value: item, writable: true, enumerable: true, configurable: true });
}

interface ValueDecoder {
  readonly wireType: number;
  read(reader: Reader): unknown;
  isDefault(value: unknown): boolean;
  /** The value of a map entry that holds none. */
  empty(): unknown;
}

function valueDecoder(type: string): ValueDecoder {
  const scalar = scalarCodecs[type];
  if (scalar !== undefined) return { ...scalar, empty: () => scalarDefaults[type] ?? 0 };
  const name = type.slice(1);
  const schema = lookupType(name);
  if (isEnum(schema)) {
    const names = new Map(Object.entries(schema.values).map(([valueName, number]) => [number, valueName]));
    const nameOf = (number: number): string | number => names.get(number) ?? number;
    return {
      wireType: 0,
      read: (reader) => nameOf(reader.int32()),
      isDefault: (value) => value === nameOf(0),
      empty: () => nameOf(0),
    };
  }
  const read = (reader: Reader): unknown => {
    const length = reader.uint32();
    return messageDecoder(name)(reader, reader.pos + length);
  };
  return {
    wireType: 2,
    read,
    isDefault: () => false,
    empty: () => messageDecoder(name)(createReader(new Uint8Array()), 0),
  };
}

const scalarDefaults: Readonly<Record<string, unknown>> = {
  string: '',
  bytes: '',
  bool: false,
  int64: '0',
  uint64: '0',
};

function wellKnownDecoder(name: string): Decode | undefined {
  const wrapped = wrappers[name];
  if (wrapped !== undefined) {
    const value = fieldDecoder('value', { id: 1, type: wrapped }, true);
    return (reader, end) => readSingle(reader, end, value) ?? scalarDefaults[wrapped] ?? 0;
  }
  return wellKnown[name];
}

function readSingle(reader: Reader, end: number, field: FieldDecoder): unknown {
  const object: Record<string, unknown> = {};
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) field.read(reader, tag & 7, object);
    else reader.skipType(tag & 7);
  }
  return object[field.name];
}

const wellKnown: Readonly<Record<string, Decode>> = {
  'google.protobuf.Any': (reader, end) => {
    const { type_url: url = '', value = '' } = decodeFields('google.protobuf.Any', reader, end);
    const bytes = bytesOf(String(value));
    const name = String(url).slice(String(url).lastIndexOf('/') + 1);
    if (wellKnownDecoder(name) !== undefined) return { '@type': url, value: decodeMessage(name, bytes) };
    if (!hasType(name)) return { '@type': url, value };
    return { '@type': url, ...(decodeMessage(name, bytes) as object) };
  },
  'google.protobuf.Duration': (reader, end) => {
    const { seconds = '0', nanos = 0 } = decodeFields('google.protobuf.Duration', reader, end);
    const sign = String(seconds).startsWith('-') || Number(nanos) < 0 ? '-' : '';
    return `${sign}${String(seconds).replace('-', '')}${fractionOf(Math.abs(Number(nanos)))}s`;
  },
  'google.protobuf.Timestamp': (reader, end) => {
    const { seconds = '0', nanos = 0 } = decodeFields('google.protobuf.Timestamp', reader, end);
    const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, -'.000Z'.length);
    return `${whole}${fractionOf(Number(nanos))}Z`;
  },
  'google.protobuf.Struct': (reader, end) => decodeFields('google.protobuf.Struct', reader, end).fields ?? {},
  'google.protobuf.ListValue': (reader, end) => decodeFields('google.protobuf.ListValue', reader, end).values ?? [],
  'google.protobuf.Value': (reader, end) => {
    const fields = decodeFields('google.protobuf.Value', reader, end);
    return 'null_value' in fields ? null : (Object.values(fields)[0] ?? null);
  },
};

/** A well-known type by its fields instead of its own JSON form. */
function decodeFields(name: string, reader: Reader, end: number): Record<string, unknown> {
  let decode = plainDecoders.get(name);
  if (decode === undefined) {
    decode = compile(name);
    plainDecoders.set(name, decode);
  }
  return decode(reader, end) as Record<string, unknown>;
}

const plainDecoders = new Map<string, Decode>();

function hasType(name: string): boolean {
  try {
    return !isEnum(lookupType(name));
  } catch {
    // The only thing that lookupType throws: a type that the schema lacks.
    return false;
  }
}

/** Nanoseconds as ProtoJSON writes them: 0, 3, 6 or 9 digits. */
function fractionOf(nanos: number): string {
  if (nanos === 0) return '';
  return `.${String(nanos)
    .padStart(9, '0')
    .replace(/(?:000){1,2}$/, '')}`;
}
