import { byteText } from './bytes.ts';
import { parseStruct } from './struct-json.ts';

/** A JSON Web Token in compact form, taken apart. */
export interface Token {
  readonly text: string;
  /** Of the signature: `alg`, `kid` and others. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Algorithms that Envoy verifies. */
const algorithms = new Set('ES256 ES384 ES512 HS256 HS384 HS512 RS256 RS384 RS512 PS256 PS384 PS512 EdDSA'.split(' '));

const badForm = 'Jwt is not in the form of Header.Payload.Signature with two dots and 3 sections';

/** The token, or Envoy's reason why it is none (jwt_verify_lib's jwt.cc). */
export function parseToken(text: string): Token | string {
  const sections = text.split('.');
  if (sections.length !== 3 || sections.includes('')) return badForm;
  const [head = '', body = '', signature = ''] = sections;
  const header = parseSection(head);
  if (typeof header === 'string') return `Jwt header is an invalid ${header}`;
  if (typeof header.alg !== 'string') return 'Jwt header [alg] field is required and must be a string';
  if (!algorithms.has(header.alg)) return 'Jwt header [alg] is not supported';
  if ('kid' in header && typeof header.kid !== 'string') return 'Jwt header [kid] field is not a string';
  const claims = parseSection(body);
  if (typeof claims === 'string') return `Jwt payload is an invalid ${claims}`;
  const fault = faultOfClaims(claims);
  if (fault !== undefined) return fault;
  if (decodeSection(signature) === undefined) return 'Jwt signature is an invalid Base64url encoded';
  return { text, header, claims };
}

function parseSection(section: string): Readonly<Record<string, unknown>> | 'Base64url encoded' | 'JSON' {
  const text = decodeSection(section);
  if (text === undefined) return 'Base64url encoded';
  try {
    return parseStruct(utf8Text(text)) ?? 'JSON';
  } catch {
    // Bytes that are no text.
    return 'JSON';
  }
}

/** Bytes, one character each; undefined where it is no base64url. Blanks and ends of lines do not count, wherever they stand. */
export function decodeSection(section: string): string | undefined {
  const [, plain, padding = ''] = /^([A-Za-z0-9_-]*)(={0,2})$/.exec(section.replaceAll(/[ \t\n\v\f\r]/g, '')) ?? [];
  if (plain === undefined || plain.length % 4 === 1) return undefined;
  if (padding !== '' && (plain.length + padding.length) % 4 !== 0) return undefined;
  return atob(plain.replaceAll('-', '+').replaceAll('_', '/'));
}

/** Standard padding is optional. */
export function encodeSection(text: string, isPadded: boolean): string {
  const encoded = encodeBytes(byteText(text));
  return isPadded ? encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=') : encoded;
}

/** Base64url without padding, of a text with one character a byte. */
export function encodeBytes(bytes: string): string {
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function utf8Text(bytes: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

const integers = ['iat', 'nbf', 'exp'] as const;

/** Envoy's reason why these are no claims of a token: some must be texts, others numbers. */
export function faultOfClaims(claims: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ['iss', 'sub'] as const) {
    if (name in claims && typeof claims[name] !== 'string') return `Jwt payload [${name}] field is not a string`;
  }
  for (const name of integers) {
    const value = claims[name];
    if (value === undefined) continue;
    if (typeof value !== 'number') return `Jwt payload [${name}] field is not an integer`;
    if (value < 0 || value >= 2 ** 64) return `Jwt payload [${name}] field is not a positive 64 bit integer`;
  }
  const { aud, jti } = claims;
  const isList = Array.isArray(aud) && aud.every((one) => typeof one === 'string');
  if (aud !== undefined && typeof aud !== 'string' && !isList) {
    return 'Jwt payload [aud] field is not a string or string list';
  }
  if (jti !== undefined && typeof jti !== 'string') return 'Jwt payload [jti] field is not a string';
  return undefined;
}
