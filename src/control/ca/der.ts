import { AsnConvert } from '@peculiar/asn1-schema';

/** The bytes are not what they should be; the message names no byte of them. */
export class DerError extends Error {}

/** One value of a type of `@peculiar/asn1-*`, in DER: with nothing behind it, and in the one form that DER has for it. */
export function parseDer<T>(bytes: Uint8Array, type: new () => T): T {
  const value = parseAsn(bytes, type);
  // The library reads BER, and stops at the end of the value: what it read has to be written the same (X.690, 10).
  if (!serializeDer(value).equals(bytes)) throw new DerError('a value is not in DER');
  return value;
}

/** One value that another reader has found good already: lengths and order may be as BER has them. */
export function parseAsn<T>(bytes: Uint8Array, type: new () => T): T {
  try {
    return AsnConvert.parse(bytes, type);
  } catch (cause) {
    throw new DerError(`it does not hold a ${type.name}`, { cause });
  }
}

/** Throws `DerError` for what was read from bytes that no DER has. */
export function serializeDer(value: unknown): Buffer {
  try {
    return Buffer.from(AsnConvert.serialize(value));
  } catch (cause) {
    throw new DerError('a value is not in DER', { cause });
  }
}
