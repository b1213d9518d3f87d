import { type CompactVerifyResult, compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { withoutOuterBlanks } from '../lib/header-text.ts';
import { findTokens } from './evaluate/find-tokens.ts';
import { joinLines } from './evaluate/receive.ts';
import { HeaderLines } from './model/header-lines.ts';
import { decodeSection, encodeBytes, parseToken } from './model/token.ts';
import type { HttpRequest } from './request.ts';
import { distinctProviders } from './token-providers.ts';
import type { World } from './world.ts';

/** `good`, or Envoy's reason why a key set does not verify a token. */
export type SignatureVerdict = 'good' | 'Jwt verification fails' | typeof noKey;

const noKey = "Jwks doesn't have key to match kid or alg from Jwt";

/** What the key sets of proxies say of the tokens in requests. Cryptography takes its time, and a prediction does not wait. */
export class Signatures {
  readonly #verdicts = new Map<string, SignatureVerdict>();

  /** Verifies the tokens of a request with every key set of these proxies, which stay as they are. */
  async learn(proxies: World['proxies'], request: HttpRequest): Promise<void> {
    const { path } = request;
    // HTTP/1.1 has no blanks around a value, HTTP/2 leaves them there.
    const plain = request.headers.map(([name, value]) => [name, withoutOuterBlanks(value)] as const);
    for (const lines of [request.headers, plain]) {
      const headers = joinLines(new HeaderLines(lines)).freeze();
      for (const provider of distinctProviders(proxies)) {
        for (const { text } of findTokens(provider, { path, headers })) await this.#learnOne(provider.keySet, text);
      }
    }
  }

  /** Undefined where this was not learned. */
  of(keySet: string, token: string): SignatureVerdict | undefined {
    return this.#verdicts.get(keyOf(keySet, token));
  }

  async #learnOne(keySet: string, token: string): Promise<void> {
    const key = keyOf(keySet, token);
    if (this.#verdicts.has(key) || typeof parseToken(token) === 'string') return;
    this.#verdicts.set(key, await verify(keySet, token));
  }
}

function keyOf(keySet: string, token: string): string {
  return `${token} ${keySet}`;
}

/** Envoy tries every key whose `kid` and `alg` do not contradict the token's (jwt_verify_lib's verify.cc). */
async function verify(keySet: string, token: string): Promise<SignatureVerdict> {
  const { kid = '', alg = '' } = decodeProtectedHeader(token);
  const fitting = keysOf(keySet).filter(
    (key) => (kid === '' || !key.kid || key.kid === kid) && (!key.alg || key.alg === alg),
  );
  if (fitting.length === 0) return noKey;
  for (const key of fitting) if (await isSignedBy(token, key, alg)) return 'good';
  return 'Jwt verification fails';
}

function keysOf(keySet: string): readonly JWK[] {
  try {
    const { keys } = JSON.parse(keySet) as { readonly keys?: unknown };
    return Array.isArray(keys) ? keys : [];
  } catch {
    // A key set that is no JSON has no key that verifies.
    return [];
  }
}

async function isSignedBy(token: string, key: JWK, alg: string): Promise<boolean> {
  const { use: _use, key_ops: _operations, ext: _extractable, ...bare } = key;
  const verified = await importJWK(bare, alg)
    .then(
      (imported): Promise<CompactVerifyResult> =>
        compactVerify(asVerified(token, alg), imported, { crit: criticalIn(token) }),
    )
    .catch(() => undefined);
  return verified !== undefined;
}

/** Extensions of the header that must be understood: Envoy knows none, and verifies all the same. */
function criticalIn(token: string): Readonly<Record<string, boolean>> {
  const { crit } = decodeProtectedHeader(token);
  return Object.fromEntries(Array.isArray(crit) ? crit.map((name) => [name, true]) : []);
}

/** What is signed as it is, blanks too, and the signature without the odd last byte that Envoy does not read on elliptic curves. */
function asVerified(token: string, alg: string): string {
  const [head = '', body = '', signature = ''] = token.split('.');
  const bytes = decodeSection(signature) ?? '';
  const isOdd = alg.startsWith('ES') && bytes.length % 2 === 1;
  return `${head}.${body}.${encodeBytes(isOdd ? bytes.slice(0, -1) : bytes)}`;
}
