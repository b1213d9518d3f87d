import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { stringify } from 'yaml';
import type { HttpRequest } from '../access/request.ts';
import type { Dice } from './dice.ts';

/** Key sets of issuers, and tokens: good ones, and all kinds that are not. */
export interface TokenBox {
  /** JSON Web Key Sets, one an issuer. */
  readonly keySets: readonly string[];
  readonly tokens: readonly string[];
  /** A good token with these claims, with the key of its issuer. */
  readonly sign: (claims: Readonly<Record<string, unknown>>) => Promise<string>;
}

const hour = 3600;

/** The last is in no policy. */
const issuers = ['https://a.example', 'https://b.example', 'https://c.example'];

/** Signs tokens of three issuers, of all kinds that rules tell apart. Two issuers have key sets of their own. */
export async function signTokens(dice: Dice, count: number): Promise<TokenBox> {
  const pairs = await Promise.all(
    (['ES256', 'RS256', 'ES256'] as const).map(async (alg, i) => {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      return { alg, kid: `k${i}`, privateKey, jwk: { kid: `k${i}`, alg, ...(await exportJWK(publicKey)) } };
    }),
  );
  const keySetOf = (...indexes: number[]): string => JSON.stringify({ keys: indexes.map((i) => pairs[i]?.jwk) });
  const sign = async (): Promise<string> => {
    const claims = claimsOf(dice);
    const own = issuers.indexOf(String(claims.iss));
    const pair = pairs[dice.chance(94) ? Math.max(own, 0) % 2 : 2];
    if (pair === undefined) throw new Error('there is no key');
    const kid = dice.pick([
      pair.kid,
      pair.kid,
      pair.kid,
      pair.kid,
      pair.kid,
      pair.kid,
      pair.kid,
      undefined,
      undefined,
      'other',
      pairs[0]?.kid,
    ]);
    const header = { alg: pair.alg, ...(kid !== undefined && { kid }) };
    // Nobody but the access rules of the compiler reads what a header says must be understood.
    const critical = dice.chance(5) ? { crit: ['x'], x: 1 } : {};
    const signed = new SignJWT(claims).setProtectedHeader({ ...header, ...critical });
    const text = await signed.sign(pair.privateKey, { crit: { x: true } });
    return dice.chance(93) ? text : dice.pick(damages)(text);
  };
  return {
    keySets: [keySetOf(0), keySetOf(1, 0)],
    tokens: await Promise.all(Array.from({ length: count }, sign)),
    sign: async (claims) => {
      const pair = pairs[Math.max(issuers.indexOf(String(claims.iss)), 0) % 2];
      if (pair === undefined) throw new Error('there is no key');
      return new SignJWT({ ...claims }).setProtectedHeader({ alg: pair.alg, kid: pair.kid }).sign(pair.privateKey);
    },
  };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What makes a token none, or another one. */
const damages: readonly ((token: string) => string)[] = [
  (token) => `${token.slice(0, -4)}AAAA`,
  (token) => token.replace(/\.[^.]*$/, '.'),
  (token) => token.replace(/^[^.]*/, encode({ alg: 'none' })),
  (token) => token.replace(/^[^.]*/, encode({ alg: 'HS256', kid: 'k0' })),
  (token) => token.replace(/^[^.]*/, encode({ kid: 'k0' })),
  (token) => token.replace(/^[^.]*/, encode({ alg: 'ES256', kid: 7 })),
  (token) => token.replace(/^[^.]*/, 'e30'),
  (token) => token.replace(/^[^.]*/, 'bm8'),
  (token) => token.replace(/\.[^.]*\./, `.${encode({ iss: 7 })}.`),
  (token) => token.replace(/\.[^.]*\./, `.${encode({ iss: 'https://a.example', sub: 7 })}.`),
  (token) => token.replace(/\.[^.]*\./, `.${encode({ iss: 'https://a.example', exp: 'soon' })}.`),
  (token) => token.replace(/\.[^.]*\./, `.${encode({ iss: 'https://a.example', exp: -1 })}.`),
  (token) => token.replace(/\.[^.]*\./, `.${encode({ iss: 'https://a.example', aud: 7 })}.`),
  (token) => token.replace(/\.[^.]*\./, `.${encode([1])}.`),
  (token) => token.replace(/\.[^.]*\./, `.${encode({ iss: 'https://a.example', sub: 'forged' })}.`),
  (token) => `${token}.x`,
  (token) => token.replace('.', ''),
  () => 'a.b.c',
  () => 'abc',
  () => '',
];

function claimsOf(dice: Dice): Readonly<Record<string, unknown>> {
  const now = Math.floor(Date.now() / 1000);
  return {
    ...(dice.chance(97) && { iss: dice.pick([...issuers, ...issuers.slice(0, 2), ...issuers.slice(0, 2)]) }),
    ...(dice.chance(90) && { sub: dice.pick(['x', 'y', 'x@y']) }),
    ...(dice.chance(80) && {
      aud: dice.pick<unknown>([
        'one',
        'one',
        ['two', 'one'],
        'other',
        ['other'],
        'https://one/',
        ['http://two'],
        'one/',
      ]),
    }),
    ...(dice.chance(90) && { exp: dice.chance(8) ? 0 : now + (dice.chance(95) ? hour : -hour) }),
    ...(dice.chance(3) && { nbf: now + hour }),
    ...(dice.chance(75) && { groups: dice.pick<unknown>(['dev', ['dev', 'ops'], ['ops'], 'ops dev', [], 7]) }),
    ...(dice.chance(55) && { scope: dice.pick(['read', 'read write', 'write']) }),
    ...(dice.chance(60) && { realm: { role: dice.pick<unknown>(['admin', 'admin', ['admin', 'dev'], true]) } }),
  };
}

type Carrier = (request: HttpRequest, token: string) => HttpRequest;

const usualCarrier: Carrier = (request, token) => withHeader(request, 'authorization', `Bearer ${token}`);

/** How a request carries a token, near to where the policies look for it. */
const carriers: readonly Carrier[] = [
  (request, token) => withHeader(request, 'Authorization', `Bearer  ${token} x`),
  (request, token) => withHeader(request, 'authorization', `Bearer ${token},Bearer ${token}`),
  (request, token) => withHeader(request, 'authorization', `bearer ${token}`),
  (request, token) => withHeader(request, 'authorization', `Basic Bearer ${token}`),
  (request, token) => withHeader(request, 'authorization', token),
  (request, token) => withHeader(withHeader(request, 'authorization', `Bearer ${token}`), 'authorization', 'Bearer x'),
  (request, token) => withHeader(request, 'x-token', token),
  (request, token) => withHeader(request, 'x-token', `${token} `),
  (request, token) => withHeader(request, 'x-jwt', `JWT ${token}`),
  (request, token) => withHeader(request, 'x-jwt', `JWT${token}`),
  (request, token) => withHeader(request, 'x-jwt', `xJWT "${token}"`),
  (request, token) => withParameter(request, `access_token=${token}`),
  (request, token) => withParameter(request, `token=${token}`),
  (request, token) => withParameter(request, `token=${token}&token=x`),
  (request, token) => withParameter(request, `token=&token=${token}`),
  (request, token) => withHeader(request, 'cookie', `a=b; session=${token}`),
  (request, token) => withHeader(request, 'cookie', `session="${token}"; session=x`),
];

/** The request with a token in one place or two. */
export function withToken(dice: Dice, request: HttpRequest, token: string): HttpRequest {
  const once = (dice.chance(60) ? usualCarrier : dice.pick(carriers))(request, token);
  return dice.chance(15) ? dice.pick(carriers)(once, token) : once;
}

function withHeader(request: HttpRequest, name: string, value: string): HttpRequest {
  return { ...request, headers: [...request.headers, [name, value]] };
}

function withParameter(request: HttpRequest, parameter: string): HttpRequest {
  const { path } = request;
  return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}${parameter}` };
}

/** YAML of a policy that takes tokens of one or two issuers, some of them for an audience or from a place alone. */
export function generatedTokenPolicy(
  dice: Dice,
  keySets: TokenBox['keySets'],
  labels: object = { app: 'httpbin' },
): string {
  const rule = (index: number): object => ({
    issuer: issuers[index],
    jwks: keySets[index],
    ...(dice.chance(25) && { audiences: dice.some(['one', 'two'], 2) }),
    ...(dice.chance(20) && {
      fromHeaders: dice.some(
        [{ name: 'x-token' }, { name: 'x-jwt', prefix: 'JWT ' }, { name: 'x-jwt', prefix: 'JWT' }],
        2,
      ),
    }),
    ...(dice.chance(15) && { fromParams: ['token'] }),
    ...(dice.chance(10) && { fromCookies: ['session'] }),
    ...(dice.chance(50) && { forwardOriginalToken: true }),
    ...(dice.chance(30) && { outputPayloadToHeader: 'x-payload' }),
    ...(dice.chance(30) && {
      outputClaimToHeaders: [
        { header: 'x-role', claim: 'realm.role' },
        { header: 'x-team', claim: 'groups' },
      ],
    }),
  });
  const jwtRules = dice.pick([
    () => [rule(0)],
    () => [rule(0), rule(1)],
    () => [rule(0), rule(1)],
    () => [rule(1), rule(0)],
    () => [rule(1), rule(0)],
    () => [rule(1)],
    () => [rule(0), rule(0)],
  ])();
  return stringify({
    apiVersion: 'security.mesh.io/v1',
    kind: 'RequestAuthentication',
    metadata: { name: 'tokens', namespace: 'foo' },
    spec: { selector: { matchLabels: labels }, jwtRules },
  });
}
