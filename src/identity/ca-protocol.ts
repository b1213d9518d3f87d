import type { MethodDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';

/** `istio.v1.auth.IstioCertificateRequest`; absent fields have proto3's defaults. */
export interface CertificateRequest {
  /** Field 1: a PKCS #10 request, PEM. */
  readonly csr: string;
  /** Field 3, int64: the lifetime asked for, in seconds; 0 or less asks for the CA's default. */
  readonly validitySeconds: bigint;
  /** Field 4, `google.protobuf.Struct`: values that are no text are undefined here, their keys count all the same. */
  readonly metadata: ReadonlyMap<string, string | undefined>;
}

/** `istio.v1.auth.IstioCertificateResponse`. */
export interface CertificateResponse {
  /** Field 1: PEM; the first element is the leaf, the last one holds the root or roots. */
  readonly certificateChain: readonly string[];
}

/** The package of the wire form is historic: both sides also speak with Istio's. */
export const certificateServiceName = 'istio.v1.auth.IstioCertificateService';

/** Key of the method in a service's table of handlers. */
export const createCertificateMethod = 'CreateCertificate';

/** The one method of the service; as `ServiceDefinition`: `{ [createCertificateMethod]: createCertificate }`. */
export const createCertificate: MethodDefinition<CertificateRequest, CertificateResponse> = {
  path: `/${certificateServiceName}/${createCertificateMethod}`,
  requestStream: false,
  responseStream: false,
  requestSerialize: encodeCertificateRequest,
  requestDeserialize: decodeCertificateRequest,
  responseSerialize: encodeCertificateResponse,
  responseDeserialize: decodeCertificateResponse,
};

const field = { csr: 1, validity: 3, metadata: 4, chain: 1 } as const;
const varint = 0;
const lengthDelimited = 2;

/** Writes default values not at all, as proto3 does. */
export function encodeCertificateRequest({ csr, validitySeconds, metadata }: CertificateRequest): Buffer {
  const writer = protobuf.Writer.create();
  if (csr !== '') writer.uint32(tag(field.csr, lengthDelimited)).string(csr);
  if (validitySeconds !== 0n) writer.uint32(tag(field.validity, varint)).int64(halves(validitySeconds));
  if (metadata.size > 0) {
    writer.uint32(tag(field.metadata, lengthDelimited)).fork();
    for (const [key, value = ''] of metadata) writeEntry(writer, key, value);
    writer.ldelim();
  }
  return bufferOf(writer);
}

/** Throws when the bytes are no message; unknown fields (the old `subject_id`) are passed over. */
export function decodeCertificateRequest(bytes: Uint8Array): CertificateRequest {
  let csr = '';
  let validitySeconds = 0n;
  const metadata = new Map<string, string | undefined>();
  eachField(protobuf.Reader.create(bytes), (reader, id, wireType) => {
    if (id === field.csr && wireType === lengthDelimited) csr = reader.string();
    else if (id === field.validity && wireType === varint) validitySeconds = BigInt.asIntN(64, readVarint(reader));
    else if (id === field.metadata && wireType === lengthDelimited) readStruct(reader.bytes(), metadata);
    else reader.skipType(wireType);
  });
  return { csr, validitySeconds, metadata };
}

export function encodeCertificateResponse({ certificateChain }: CertificateResponse): Buffer {
  const writer = protobuf.Writer.create();
  for (const element of certificateChain) writer.uint32(tag(field.chain, lengthDelimited)).string(element);
  return bufferOf(writer);
}

/** Throws when the bytes are no message. */
export function decodeCertificateResponse(bytes: Uint8Array): CertificateResponse {
  const certificateChain: string[] = [];
  eachField(protobuf.Reader.create(bytes), (reader, id, wireType) => {
    if (id === field.chain && wireType === lengthDelimited) certificateChain.push(reader.string());
    else reader.skipType(wireType);
  });
  return { certificateChain };
}

function eachField(
  reader: protobuf.Reader,
  read: (reader: protobuf.Reader, id: number, wireType: number) => void,
): void {
  while (reader.pos < reader.len) {
    const key = reader.uint32();
    read(reader, key >>> 3, key & 7);
  }
}

/** `google.protobuf.Struct`: a map from text to `google.protobuf.Value`, whose field 3 is text. */
function readStruct(bytes: Uint8Array, metadata: Map<string, string | undefined>): void {
  eachField(protobuf.Reader.create(bytes), (reader, id, wireType) => {
    if (id !== 1 || wireType !== lengthDelimited) {
      reader.skipType(wireType);
      return;
    }
    let key = '';
    let value: string | undefined;
    eachField(protobuf.Reader.create(reader.bytes()), (entry, entryId, entryType) => {
      if (entryId === 1 && entryType === lengthDelimited) key = entry.string();
      else if (entryId === 2 && entryType === lengthDelimited) value = readValue(entry.bytes());
      else entry.skipType(entryType);
    });
    metadata.set(key, value);
  });
}

function readValue(bytes: Uint8Array): string | undefined {
  let text: string | undefined;
  eachField(protobuf.Reader.create(bytes), (reader, id, wireType) => {
    if (id === 3 && wireType === lengthDelimited) text = reader.string();
    else reader.skipType(wireType);
  });
  return text;
}

function writeEntry(writer: protobuf.Writer, key: string, value: string): void {
  writer.uint32(tag(1, lengthDelimited)).fork();
  writer.uint32(tag(1, lengthDelimited)).string(key);
  writer.uint32(tag(2, lengthDelimited)).fork();
  writer.uint32(tag(3, lengthDelimited)).string(value);
  writer.ldelim().ldelim();
}

/** The reader's own int64 gives a number, which loses digits beyond 2^53. */
function readVarint(reader: protobuf.Reader): bigint {
  let result = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.pos < reader.len ? reader.buf[reader.pos] : undefined;
    if (byte === undefined) throw new RangeError('the message ends within a number');
    reader.pos += 1;
    result |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return BigInt.asUintN(64, result);
}

type Wide = Parameters<protobuf.Writer['int64']>[0];

/** Two halves, as the writer takes them without a library for long integers. */
function halves(value: bigint): Wide {
  const bits = BigInt.asUintN(64, value);
  return { low: Number(bits & 0xffff_ffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: false } as Wide;
}

function tag(id: number, wireType: number): number {
  return (id << 3) | wireType;
}

function bufferOf(writer: protobuf.Writer): Buffer {
  const bytes = writer.finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
