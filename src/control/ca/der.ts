import { AsnConvert } from '@peculiar/asn1-schema';
import { BaseBlock, type ViewWriter } from 'asn1js';

/** Invalid DER; the message quotes no byte of it. */
export class DerError extends Error {}

/** Parses one value of a type of `@peculiar/asn1-*` in strict DER, without trailing bytes. Throws `DerError`. */
export function parseDer<T>(bytes: Uint8Array, type: new () => T): T {
  const value = parseAsn(bytes, type);
  // The library reads BER, and stops at the end of the value: what it read has to be written the same (X.690, 10).
  if (!serializeDer(value).equals(bytes)) throw new DerError('a value is not in DER');
  return value;
}

/** Parses one value that another parser has accepted already; BER's forms of lengths and order are accepted. */
export function parseAsn<T>(bytes: Uint8Array, type: new () => T): T {
  try {
    return AsnConvert.parse(bytes, type);
  } catch (cause) {
    throw new DerError(`it does not hold a ${type.name}`, { cause });
  }
}

/** Encodes a value as DER. Throws `DerError` for a value that has no form in DER. */
export function serializeDer(value: unknown): Buffer {
  try {
    return Buffer.from(AsnConvert.serialize(value));
  } catch (cause) {
    throw new DerError('a value is not in DER', { cause });
  }
}

/** Wraps bytes that are DER already, as a value of a type of the schemas; they are written unchanged. */
export function encoded<T>(bytes: Buffer, _type: new () => T): T {
  return new Encoded(bytes) as unknown as T;
}

/** What the schemas take in the place of any value: it makes its own part of the tree. */
class Encoded {
  readonly #block: EncodedBlock;

  constructor(bytes: Buffer) {
    this.#block = new EncodedBlock(bytes);
  }

  toASN(): BaseBlock {
    return this.#block;
  }

  fromASN(): never {
    throw new Error('it is written, never read');
  }
}

class EncodedBlock extends BaseBlock {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    super();
    this.#bytes = bytes;
  }

  /** As the library's own: into the writer of the value around it, or, without one, as the answer. */
  override toBER(_sizeOnly?: boolean, writer?: ViewWriter): ArrayBuffer {
    if (writer === undefined) return arrayBufferOf(this.#bytes);
    writer.write(this.#bytes);
    return new ArrayBuffer(0);
  }
}

/** Copies the bytes into a buffer of their own, which the schemas need. */
export function arrayBufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
