import { OctetString } from '@peculiar/asn1-schema';
import { Extension } from '@peculiar/asn1-x509';

/** Identifiers of DER, as far as they lead to the extensions. */
const tag = { boolean: 0x01, bits: 0x03, octets: 0x04, identifier: 0x06, sequence: 0x30, extensions: 0xa3 };

/**
 * Of what is signed (RFC 5280, section 4.1): perhaps a version; number, algorithm, issuer, validity, subject and key; perhaps
 * identifiers of issuer and subject, and extensions. Where others stand, lengths before them are wrong.
 */
const fieldTags = /^(?:a0 )?02(?: 30){5}(?: [8a]1)?(?: [8a]2)?(?: a3)?$/;

/** A value of DER: what it is, and its content. */
interface Value {
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * The extensions of a certificate, without a look at the rest of it: a thousand proxies that come back at once show a thousand
 * certificates, and the library of schemas takes a millisecond for each. Undefined where anything is not as DER has it: then
 * the library has to say what it is.
 */
export function quickExtensions(certificate: Buffer): readonly Extension[] | undefined {
  const [whole, ...after] = valuesIn(certificate) ?? [];
  const [signed, algorithm, signature, ...others] = (isSequence(whole) && valuesIn(whole.content)) || [];
  if (after.length > 0 || others.length > 0 || !isSequence(algorithm) || signature?.tag !== tag.bits) return undefined;
  const fields = isSequence(signed) ? (valuesIn(signed.content) ?? []) : [];
  if (!fieldTags.test(fields.map((field) => field.tag.toString(16).padStart(2, '0')).join(' '))) return undefined;
  const wrapped = fields.at(-1);
  if (wrapped?.tag !== tag.extensions) return [];
  const [list, ...more] = valuesIn(wrapped.content) ?? [];
  const found = isSequence(list) && more.length === 0 ? valuesIn(list.content)?.map(extensionOf) : undefined;
  const known = found?.filter((extension) => extension !== undefined);
  return known?.length === found?.length ? known : undefined;
}

function extensionOf(value: Value): Extension | undefined {
  const parts = isSequence(value) ? valuesIn(value.content) : undefined;
  const [id, octets] = [parts?.at(0), parts?.at(-1)];
  if (parts === undefined || id?.tag !== tag.identifier || octets?.tag !== tag.octets) return undefined;
  const extnID = identifierText(id.content);
  const critical = parts.length === 3 ? truth(parts[1]) : false;
  if (extnID === undefined || critical === undefined || parts.length > 3 || parts.length < 2) return undefined;
  return new Extension({ extnID, critical, extnValue: new OctetString(octets.content) });
}

function isSequence(value: Value | undefined): value is Value {
  return value?.tag === tag.sequence;
}

function truth(value: Value | undefined): boolean | undefined {
  return value?.tag === tag.boolean && value.content.length === 1 ? value.content[0] !== 0 : undefined;
}

/** The values that stand one after the other, and nothing else. */
function valuesIn(bytes: Buffer): readonly Value[] | undefined {
  const values: Value[] = [];
  for (let at = 0; at < bytes.length; ) {
    const identifier = bytes[at] ?? 0;
    const length = lengthAt(bytes, at + 1);
    // Numbers above 30 go on in the next byte; there are none in a certificate.
    if ((identifier & 0x1f) === 0x1f || length === undefined || length.end > bytes.length) return undefined;
    values.push({ tag: identifier, content: bytes.subarray(length.begin, length.end) });
    at = length.end;
  }
  return values;
}

/** Where the content begins and ends; undefined where its length is not told before it, or is that of no certificate. */
function lengthAt(bytes: Buffer, at: number): { readonly begin: number; readonly end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return { begin: at + 1, end: at + 1 + first };
  const size = first - 0x80;
  const begin = at + 1 + size;
  if (size === 0 || size > 3 || begin > bytes.length) return undefined;
  return { begin, end: begin + bytes.readUIntBE(at + 1, size) };
}

/** `2.5.29.17` */
function identifierText(content: Buffer): string | undefined {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f);
    if (number > 0xffff_ffff) return undefined;
    if (byte > 0x7f) continue;
    numbers.push(number);
    number = 0;
  }
  const [both, ...rest] = numbers;
  if (both === undefined || (content.at(-1) ?? 0) > 0x7f) return undefined;
  const first = Math.min(2, Math.floor(both / 40));
  return [first, both - 40 * first, ...rest].join('.');
}
