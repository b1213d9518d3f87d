import { decodeMessage } from '../envoy/api/decode.ts';
import { createReader, type Reader } from '../envoy/api/wire.ts';

/** Name of the message that wraps an object (`istio.mcp.v1alpha1.Resource`), as the type of an Any. */
export const objectEnvelope = 'type.googleapis.com/istio.mcp.v1alpha1.Resource';
/** The type of a content that is an object of JSON. */
export const structType = 'type.googleapis.com/google.protobuf.Struct';

/** An object of a mesh, as a configuration server sends it. */
export interface ConfigurationObject {
  /** `<namespace>/<name>`; the message may begin it with another `/`. */
  readonly name: string;
  /** When it was made, in the form of RFC 3339; undefined: nobody says. */
  readonly createdAt: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Its `spec`; undefined where it cannot be read, and `problem` says why. */
  readonly spec: unknown;
  readonly problem: string | undefined;
}

/** Reads a wrapped object. Throws where the bytes are no such message, or have a field that is not known. */
export function readConfigurationObject(bytes: Uint8Array): ConfigurationObject {
  const made = { name: '', createdAt: undefined as string | undefined };
  const [labels, annotations] = [{} as Record<string, string>, {} as Record<string, string>];
  const body: { type: string; bytes: Uint8Array } = { type: '', bytes: new Uint8Array() };
  const entry = (of: Record<string, string>) => (reader: Reader) => {
    const pair = { key: '', value: '' };
    readWithin(reader, { 1: () => (pair.key = reader.string()), 2: () => (pair.value = reader.string()) });
    Object.defineProperty(of, pair.key, { value: pair.value, enumerable: true, configurable: true, writable: true });
  };
  const reader = createReader(bytes);
  readFields(reader, bytes.length, {
    1: () =>
      readWithin(reader, {
        1: () => (made.name = reader.string()),
        2: () => (made.createdAt = decodeMessage('google.protobuf.Timestamp', reader.bytes()) as string),
        // Of the object at its source: what has changed, the text says.
        3: () => reader.string(),
        ...{ 4: () => entry(labels)(reader), 5: () => entry(annotations)(reader) },
      }),
    2: () => readWithin(reader, { 1: () => (body.type = reader.string()), 2: () => (body.bytes = reader.bytes()) }),
  });
  return { ...made, name: made.name.replace(/^\//, ''), labels, annotations, ...readSpec(body) };
}

function readSpec({ type, bytes }: { readonly type: string; readonly bytes: Uint8Array }) {
  if (type !== structType)
    return { spec: undefined, problem: `its body is of the type "${type}", expected "${structType}"` };
  try {
    return { spec: decodeMessage('google.protobuf.Struct', bytes), problem: undefined };
  } catch {
    return { spec: undefined, problem: 'its body is no google.protobuf.Struct' };
  }
}

type Fields = Readonly<Record<number, () => unknown>>;

/** A message within another one, after its length. */
function readWithin(reader: Reader, fields: Fields): void {
  readFields(reader, reader.uint32() + reader.pos, fields);
}

function readFields(reader: Reader, end: number, fields: Fields): void {
  if (end > reader.len) throw new Error('the message is cut off');
  while (reader.pos < end) {
    const tag = reader.uint32();
    const read = (tag & 7) === 2 ? fields[tag >>> 3] : undefined;
    if (read === undefined) throw new Error(`the message has the unknown field ${tag >>> 3}`);
    read();
  }
  if (reader.pos !== end) throw new Error('a field is longer than its message');
}
