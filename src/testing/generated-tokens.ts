import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { stringify } from 'yaml';
import type { Dice } from './dice.ts';

/** Claims, and the token that an issuer signed over them. */
export interface SignedToken {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** An issuer's key set, and tokens that it verifies. */
export interface TokenBox {
  /** JSON Web Key Set. */
  readonly keySet: string;
  readonly tokens: readonly SignedToken[];
}

const hour = 3600;
const issuers = ['https://a.example', 'https://b.example', 'https://c.example'];

/** Signs tokens of three issuers, of all kinds that rules tell apart; the third issuer is in no policy. */
export async function signTokens(dice: Dice, count: number): Promise<TokenBox> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const keySet = JSON.stringify({ keys: [{ kid: 'k', alg: 'ES256', ...(await exportJWK(publicKey)) }] });
  const sign = async (claims: SignedToken['claims']): Promise<SignedToken> => ({
    claims,
    text: await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(privateKey),
  });
  return { keySet, tokens: await Promise.all(Array.from({ length: count }, () => sign(claimsOf(dice)))) };
}

function claimsOf(dice: Dice): SignedToken['claims'] {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: dice.pick([...issuers, ...issuers.slice(0, 2)]),
    ...(dice.chance(90) && { sub: dice.pick(['x', 'y', 'x@y']) }),
    ...(dice.chance(80) && { aud: dice.pick<unknown>(['one', 'one', ['two', 'one'], 'other', ['other']]) }),
    ...(dice.chance(90) && { exp: now + (dice.chance(90) ? hour : -hour) }),
    ...(dice.chance(5) && { nbf: now + hour }),
    ...(dice.chance(60) && { groups: dice.pick<unknown>(['dev', ['dev', 'ops'], 'ops dev', [], 7]) }),
    ...(dice.chance(40) && { scope: dice.pick(['read', 'read write', 'write']) }),
    ...(dice.chance(30) && { realm: { role: dice.pick<unknown>(['admin', ['admin', 'dev'], true]) } }),
  };
}

/** YAML of a policy that takes tokens of one or two issuers, some of them for an audience alone. */
export function generatedTokenPolicy(dice: Dice, keySet: string): string {
  const rule = (issuer: string): object => ({
    issuer,
    jwks: keySet,
    ...(dice.chance(40) && { audiences: dice.some(['one', 'two'], 2) }),
  });
  const [first = '', second = ''] = issuers;
  const jwtRules = dice.pick([[rule(first)], [rule(first), rule(second)], [rule(second)], [rule(first), rule(first)]]);
  return stringify({
    apiVersion: 'security.mesh.io/v1',
    kind: 'RequestAuthentication',
    metadata: { name: 'tokens', namespace: 'foo' },
    spec: { selector: { matchLabels: { app: 'httpbin' } }, jwtRules },
  });
}
