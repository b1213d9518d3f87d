import { compareStrings } from '../lib/sort.ts';
import { utf8 } from '../lib/utf8.ts';
import { checkKey, type PublicJwk } from './check-key.ts';
import { KeySetError, quoted } from './fault.ts';
import { parseObject } from './parse-object.ts';

/** A key that is left out of a set, named by its `kid` or its place. */
export interface RefusedKey {
  /** `key "a"`; without a `kid` its place in the set, counted from 1: `key number 1`. */
  readonly key: string;
  readonly reason: string;
  /** Present on a private or symmetric key, which ought to be known to nobody else. */
  readonly isSecret?: true;
}

/** The keys of a set that Envoy may verify with. */
export interface CheckedKeys {
  /** A JSON Web Key Set (RFC 7517 section 5) of public keys and nothing else; the same keys give the same text. */
  readonly text: string;
  /** SHA-256 of `text`, hex. */
  readonly digest: string;
  readonly refused: readonly RefusedKey[];
}

/** Envoy tries each key for a token that names none: a long set would make every request slow. */
const maxKeys = 100;

/**
 * Reads a JSON Web Key Set and writes it anew with the usable keys alone, so that no private member, no symmetric key
 * and nothing that two JSON parsers read differently gets into a configuration. Throws a `KeySetError` that names each
 * key and its reason when none is usable: an issuer whose set has none has withdrawn those of before.
 */
export async function checkKeys(text: string): Promise<CheckedKeys> {
  const { keys } = parseObject(text, 'the key set');
  if (!Array.isArray(keys)) throw new KeySetError('answer-invalid', 'the key set has no array "keys"');
  if (keys.length > maxKeys) {
    throw new KeySetError('keys-unusable', `the key set has ${keys.length} keys, more than ${maxKeys}`);
  }
  const usable = new Map<string, PublicJwk>();
  const refused: RefusedKey[] = [];
  for (const [i, key] of keys.entries()) {
    const check = await checkKey(key);
    if (check.reason === undefined) usable.set(JSON.stringify(check.jwk), check.jwk);
    else refused.push({ key: nameOf(key, i), reason: check.reason, ...(check.isSecret ? { isSecret: true } : {}) });
  }
  if (usable.size === 0) throw withdrawn(refused);
  const sorted = [...usable.entries()].sort(
    ([a, x], [b, y]) => compareStrings(x.kid ?? '', y.kid ?? '') || compareStrings(a, b),
  );
  const checked = `{"keys":[${sorted.map(([json]) => json).join(',')}]}`;
  return { text: checked, digest: await digestOf(checked), refused };
}

async function digestOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const namedInMessage = 3;

function withdrawn(refused: readonly RefusedKey[]): KeySetError {
  if (refused.length === 0) return new KeySetError('keys-withdrawn', 'the key set is empty');
  const named = refused.slice(0, namedInMessage).map(({ key, reason }) => `${key} ${reason}`);
  const more = refused.length - named.length;
  const rest = more > 0 ? `; and ${more} more` : '';
  return new KeySetError('keys-withdrawn', `no key of the set is usable: ${named.join('; ')}${rest}`);
}

function nameOf(key: unknown, index: number): string {
  const kid = (key as { readonly kid?: unknown } | null)?.kid;
  return typeof kid === 'string' ? `key ${quoted(kid)}` : `key number ${index + 1}`;
}
