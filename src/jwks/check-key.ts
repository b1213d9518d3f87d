import { base64url, type CryptoKey, importJWK } from 'jose';
import { quoted } from './fault.ts';

/** The public members alone (RFC 7518 section 6, RFC 8037), in this order. */
export interface PublicJwk {
  readonly kty: 'EC' | 'RSA' | 'OKP';
  readonly kid?: string;
  readonly alg?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

/** A key to verify with, or why it is none. */
export type KeyCheck =
  | { readonly jwk: PublicJwk; readonly reason?: undefined }
  | {
      readonly reason: string;
      /** Private or symmetric: it ought to be known to nobody else. */
      readonly isSecret?: boolean;
      readonly jwk?: undefined;
    };

/** Says of one member of `keys` whether Envoy can verify tokens with it; what it gives holds nothing secret. */
export async function checkKey(key: unknown): Promise<KeyCheck> {
  if (typeof key !== 'object' || key === null || Array.isArray(key)) return { reason: 'is not a JSON object' };
  const members = key as Readonly<Record<string, unknown>>;
  const secret = secretReason(members);
  if (secret !== undefined) return { reason: secret, isSecret: true };
  const reason = purposeReason(members);
  if (reason !== undefined) return { reason };
  const form = formOf(members);
  if (form === undefined) return { reason: `has a type that Envoy cannot verify with (${kindOf(members)})` };
  const { alg, kid } = members;
  if (alg !== undefined && !form.algorithms.some((name) => name === alg)) {
    return { reason: `has an "alg" that does not fit its type (${kindOf(members)})` };
  }
  const material: Record<string, string> = {};
  for (const [name, length] of Object.entries(form.members)) {
    const value = members[name];
    if (typeof value !== 'string' || !isBase64Url(value, length)) return { reason: `has no well-formed "${name}"` };
    material[name] = value;
  }
  const jwk = {
    kty: form.kty,
    ...(typeof kid === 'string' ? { kid } : {}),
    ...(typeof alg === 'string' ? { alg } : {}),
    ...(form.crv === undefined ? {} : { crv: form.crv }),
    ...material,
  };
  return checkImport(jwk, (alg as string | undefined) ?? form.algorithms[0] ?? '');
}

/** What RFC 7518 section 6 and RFC 8037 section 2 count as private or symmetric. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;

function secretReason(members: Readonly<Record<string, unknown>>): string | undefined {
  if (members.kty === 'oct') return 'is symmetric: whoever can verify with it can also sign';
  if (secretMembers.some((name) => Object.hasOwn(members, name))) return 'is private: whoever reads the set can sign';
  return undefined;
}

/** RFC 7517 sections 4.2, 4.3 and 4.5. */
function purposeReason({ use, key_ops: operations, kid }: Readonly<Record<string, unknown>>): string | undefined {
  if (use !== undefined && use !== 'sig') return 'is not for signatures ("use")';
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) {
    return 'is not for verifying ("key_ops")';
  }
  if (kid !== undefined && typeof kid !== 'string') return 'has a "kid" that is not a string';
  // Half of a surrogate pair: no UTF-8 can say it, and Envoy's JSON reader refuses the whole set.
  return kid === undefined || !/\p{Surrogate}/u.test(kid) ? undefined : 'has a "kid" that is not well-formed text';
}

interface KeyForm {
  readonly kty: PublicJwk['kty'];
  readonly crv?: string;
  /** Those that Envoy 1.40 knows; the first stands in where the key names none. */
  readonly algorithms: readonly string[];
  /** Each member with its length in octets; undefined for any length. */
  readonly members: Readonly<Record<string, number | undefined>>;
}

const forms: readonly KeyForm[] = [
  {
    kty: 'RSA',
    algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
    members: { n: undefined, e: undefined },
  },
  { kty: 'EC', crv: 'P-256', algorithms: ['ES256'], members: { x: 32, y: 32 } },
  { kty: 'EC', crv: 'P-384', algorithms: ['ES384'], members: { x: 48, y: 48 } },
  { kty: 'EC', crv: 'P-521', algorithms: ['ES512'], members: { x: 66, y: 66 } },
  { kty: 'OKP', crv: 'Ed25519', algorithms: ['EdDSA'], members: { x: 32 } },
];

function formOf({ kty, crv }: Readonly<Record<string, unknown>>): KeyForm | undefined {
  return forms.find((form) => form.kty === kty && (form.crv === undefined || form.crv === crv));
}

function kindOf({ kty, crv, alg }: Readonly<Record<string, unknown>>): string {
  const named = Object.entries({ kty, crv, alg }).filter(([, value]) => typeof value === 'string');
  return named.map(([name, value]) => `${name} ${quoted(value as string)}`).join(', ') || 'no "kty"';
}

/** RFC 7515 section 2: no padding, and not the lenient reading of Node, which Envoy does not share. */
function isBase64Url(text: string, octets: number | undefined): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return false;
  const bytes = decoded(text);
  return bytes !== undefined && base64url.encode(bytes) === text && (octets === undefined || bytes.length === octets);
}

/** Undefined for text that is no base64, such as one of five letters. */
function decoded(text: string): Uint8Array | undefined {
  try {
    return base64url.decode(text);
  } catch {
    return undefined;
  }
}

type RsaAlgorithm = CryptoKey['algorithm'] & { readonly modulusLength: number; readonly publicExponent: Uint8Array };

const shortestRsaBits = 2048;
const longestRsaBits = 8192;

async function checkImport(jwk: PublicJwk, alg: string): Promise<KeyCheck> {
  let key: Awaited<ReturnType<typeof importJWK>>;
  try {
    key = await importJWK({ ...jwk }, alg);
  } catch {
    // The reasons of the crypto library ("Invalid keyData") say no more.
    return { reason: 'is not a valid public key: its point is not on its curve, or its numbers do not fit together' };
  }
  if (key instanceof Uint8Array || key.type !== 'public') return { reason: 'is not a public key' };
  if (jwk.kty !== 'RSA') return { jwk };
  const { modulusLength: bits, publicExponent } = key.algorithm as RsaAlgorithm;
  // RFC 7518 section 3.3; Envoy takes up to 16384 bits, and is slow with each token then.
  if (bits < shortestRsaBits || bits > longestRsaBits) {
    return { reason: `is an RSA key of ${bits} bits, expected ${shortestRsaBits} to ${longestRsaBits}` };
  }
  // Envoy's library takes no others, and refuses the listener (seen with 1.40).
  const exponent = publicExponent.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  if (exponent !== 3n && exponent !== 65_537n) {
    return { reason: `is an RSA key with the exponent ${quoted(String(exponent))}, expected 65537 or 3` };
  }
  const modulus = base64url.decode(jwk.n ?? '');
  if ((modulus.at(-1) ?? 0) % 2 === 0) return { reason: 'is an RSA key with an even modulus, which is never valid' };
  return { jwk };
}
