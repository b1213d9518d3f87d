import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackedAudience, tokenAttacks } from '../../../../e2e/attack/token-attacks.ts';
import { delay } from '../../../lib/abort.ts';
import { type GateRequest, type InboundGates, startInboundGates } from '../testing/inbound-gate.ts';
import { standInKid } from './stand-in.ts';
import { bearer, createIssuer, type Issuer, nowS, tokenPolicy, unsigned } from './testing/issuer.ts';

let ours: Issuer;
let other: Issuer;
/** Another key that calls itself ours. */
let impostor: Issuer;
let gates: InboundGates;
/** Nobody listens there. */
const keyUrl = 'http://127.0.0.1:1/keys';

beforeAll(async () => {
  ours = await createIssuer('https://issuer.example');
  other = await createIssuer('accounts@other.example');
  impostor = await createIssuer('https://issuer.example');
  const rule = { issuer: ours.name, jwks: ours.keySet };
  const inHeader = (name: string, aud: string) => ({ ...rule, fromHeaders: [{ name }], audiences: [aud] });
  const second = { issuer: other.name, jwks: other.keySet };
  gates = await startInboundGates({
    nobody: '',
    usual: tokenPolicy('p', rule),
    audience: tokenPolicy('p', { ...rule, audiences: ['shop', 'store'] }),
    'audience as a URL': tokenPolicy('p', { ...rule, audiences: [attackedAudience] }),
    'audience or none': `${tokenPolicy('p', { ...rule, audiences: ['shop'] })}\n---\n${tokenPolicy('q', rule)}`,
    'two audiences': tokenPolicy('p', inHeader('x-a', 'http://a/'), inHeader('x-a', 'https://a/')),
    'audiences apart': tokenPolicy('p', inHeader('x-a', 'http://a/'), inHeader('x-b', 'https://a/')),
    two: tokenPolicy('p', rule, second),
    'any issuer': tokenPolicy('p', { jwks: ours.keySet, jwksUri: 'https://issuer.example/keys' }),
    apart: tokenPolicy('p', { ...rule, fromHeaders: [{ name: 'x-a' }] }, { ...second, fromHeaders: [{ name: 'x-b' }] }),
    'no keys': tokenPolicy('p', { issuer: ours.name, jwksUri: 'https://issuer.example/keys' }),
  });
});

afterAll(() => gates?.close());

const status = async (gate: string, request?: GateRequest): Promise<number> => (await gates.send(gate, request)).status;

describe('a request', () => {
  test.each<[string, number, () => GateRequest | Promise<GateRequest>]>([
    ['without a token', 200, () => ({})],
    ['with other credentials', 200, () => ({ headers: [['authorization', 'Basic YTpi']] })],
    ['with the scheme in lower case', 200, () => ({ headers: [['authorization', 'bearer a.b.c']] })],
    ['with nothing after the scheme', 200, () => ({ headers: [['authorization', 'Bearer ']] })],
    ['with a good token', 200, async () => bearer(await ours.token())],
    ['with a good token after two blanks', 200, async () => bearer(` ${await ours.token()}`)],
    ['with a token that never ends', 200, async () => bearer(await ours.token({ exp: undefined }))],
    ['with a token from the future', 200, async () => bearer(await ours.token({ iat: nowS() + 3600 }))],
    ['with a token that names no key', 200, async () => bearer(await ours.token({}, {}))],
    ['with a good token in the query', 200, async () => ({ path: `/?access_token=${await ours.token()}` })],
    ['with a text', 401, () => bearer('token')],
    ['with three texts', 401, () => bearer('a.b.c')],
    ['with a token cut short', 401, async () => bearer((await ours.token()).slice(0, -4))],
    ['with a token that nobody signed', 401, () => bearer(unsigned({ alg: 'none' }, { iss: ours.name, sub: 'a' }))],
    ['with a token that somebody else signed', 401, async () => bearer(await impostor.token())],
    ['with a token of an unknown key', 401, async () => bearer(await ours.token({}, { kid: 'k2' }))],
    ['with a token signed with the public key', 401, () => bearer(signedWithPublicKey())],
    [
      'with a token that brings its key along',
      401,
      async () => bearer(await impostor.token({}, { jwk: impostorKey() })),
    ],
    ['with a token that says where its key is', 401, async () => bearer(await impostor.token({}, { jku: keyUrl }))],
    [
      'with a token that says where its certificate is',
      401,
      async () => bearer(await impostor.token({}, { x5u: keyUrl })),
    ],
    ['with a token whose key is a path', 401, async () => bearer(await impostor.token({}, { kid: '../../dev/null' }))],
    ['with a good token that says where a key is', 200, async () => bearer(await ours.token({}, { jku: keyUrl }))],
    ['with a token of another issuer', 401, async () => bearer(await other.token())],
    ['with a token that names no issuer', 401, async () => bearer(await ours.token({ iss: undefined }))],
    [
      'with a token whose issuer differs by a slash',
      401,
      async () => bearer(await ours.token({ iss: `${ours.name}/` })),
    ],
    ['with an expired token', 401, async () => bearer(await ours.token({ exp: nowS() - 2 }))],
    ['with a token that is not valid yet', 401, async () => bearer(await ours.token({ nbf: nowS() + 60 }))],
    ['with two tokens in one header', 401, async () => twice(await ours.token(), await ours.token())],
    ['with a good and a bad token in one header', 401, async () => twice(await ours.token(), 'a.b.c')],
    ['with a good token, and a bad one in the query', 401, async () => both(await ours.token(), 'a.b.c')],
    ['with a bad token, and a good one in the query', 401, async () => both('a.b.c', await ours.token())],
  ])('%s is answered %i', async (_name, expected, request) => {
    expect(await status('usual', await request())).toBe(expected);
  });

  test('with a bad token is let through where nobody checks', async () => {
    expect(await status('nobody', bearer('a.b.c'))).toBe(200);
  });

  function twice(a: string, b: string): GateRequest {
    return { headers: [a, b].map((token) => ['authorization', `Bearer ${token}`] as const) };
  }

  function both(header: string, param: string): GateRequest {
    return { ...bearer(header), path: `/?access_token=${param}` };
  }

  function impostorKey(): object {
    return JSON.parse(impostor.keySet).keys[0];
  }

  /** What a verifier that trusts `alg` would take: the public key as the secret. */
  function signedWithPublicKey(): string {
    const text = unsigned({ alg: 'HS256', kid: 'k1' }, { iss: ours.name, sub: 'a', exp: nowS() + 60 }).slice(0, -1);
    return `${text}.${createHmac('sha256', ours.keySet).update(text).digest('base64url')}`;
  }
});

describe('a token', () => {
  test.concurrent('is good until it expires and refused from two seconds after', async () => {
    const exp = nowS() + 3;
    const seen = await statusesUntil(exp + 4, bearer(await ours.token({ exp })));
    const early = seen.filter(({ after }) => after < exp).map(({ code }) => code);
    const late = seen.filter(({ before }) => before >= exp + 2).map(({ code }) => code);
    expect(new Set(early)).toEqual(new Set([200]));
    expect(new Set(late)).toEqual(new Set([401]));
    expect(seen.map(({ code }) => code).lastIndexOf(200)).toBeLessThan(seen.findIndex(({ code }) => code === 401));
  });

  test.concurrent('is refused until two seconds before it becomes valid and good from then on', async () => {
    const nbf = nowS() + 4;
    const seen = await statusesUntil(nbf + 2, bearer(await ours.token({ nbf })));
    const early = seen.filter(({ after }) => after < nbf - 2).map(({ code }) => code);
    const late = seen.filter(({ before }) => before >= nbf).map(({ code }) => code);
    expect(new Set(early)).toEqual(new Set([401]));
    expect(new Set(late)).toEqual(new Set([200]));
  });

  /** A request every tenth of a second; times in seconds. */
  async function statusesUntil(
    endS: number,
    request: GateRequest,
  ): Promise<readonly { before: number; after: number; code: number }[]> {
    const seen: { before: number; after: number; code: number }[] = [];
    for (;;) {
      const before = Date.now() / 1000;
      if (before > endS) return seen;
      const code = await status('usual', request);
      seen.push({ before, after: Date.now() / 1000, code });
      await delay(100);
    }
  }
});

describe('audiences', () => {
  test.each<[string, unknown, number]>([
    ['one of them', 'shop', 200],
    ['several with one of them', ['x', 'store'], 200],
    ['none', undefined, 403],
    ['another', 'x', 403],
    ['one by its beginning', 'shop2', 403],
    ['one in other letters', 'SHOP', 403],
  ])('%s in the token: the rule is obeyed', async (_name, aud, expected) => {
    expect(await status('audience', bearer(await ours.token({ aud })))).toBe(expected);
  });

  test('of one policy do not bind the tokens of another', async () => {
    expect(await status('audience or none', bearer(await ours.token()))).toBe(200);
    expect(await status('audience or none', bearer(await impostor.token({ aud: 'shop' })))).toBe(401);
  });

  test('are compared as they are, unless another rule takes the same token with any', async () => {
    const nearly = bearer(await ours.token({ aud: 'shop/' }));
    expect(await status('audience', nearly)).toBe(403);
    expect(await status('audience or none', nearly)).toBe(200);
  });

  test('of two rules for the same tokens hold each by itself, and those of another place do not', async () => {
    const [http, https] = [await ours.token({ aud: 'http://a/' }), await ours.token({ aud: 'https://a/' })];
    const atEither = async (gate: string, name: string): Promise<readonly number[]> =>
      Promise.all([http, https].map((token) => status(gate, { headers: [[name, token]] })));
    expect(await atEither('two audiences', 'x-a')).toEqual([200, 200]);
    expect(await atEither('audiences apart', 'x-a')).toEqual([200, 403]);
    expect(await atEither('audiences apart', 'x-b')).toEqual([403, 200]);
  });
});

describe('a token that verifiers read differently', () => {
  test.each(tokenAttacks)('with $about is answered $status', async ({ claims = {}, header = {}, status: expected }) => {
    expect(await status('audience as a URL', bearer(await ours.oddToken(claims, header)))).toBe(expected);
  });

  test.each(['usual', 'audience or none', 'two', 'any issuer'])('is refused where the rules are: %s', async (gate) => {
    const odd = [await ours.oddToken({}, { crit: ['x'] }), await ours.token({ exp: 0 })];
    expect(await Promise.all(odd.map((token) => status(gate, bearer(token))))).toEqual([401, 401]);
  });

  test('is refused whoever of several issuers signed it, and wherever it stands', async () => {
    const [a, b] = [await ours.oddToken({}, { crit: ['x'] }), await other.oddToken({}, { crit: ['x'] })];
    expect(await status('two', bearer(b))).toBe(401);
    expect(await status('two', { path: `/?access_token=${a}` })).toBe(401);
    expect(await status('apart', { headers: [['x-a', a]] })).toBe(401);
    expect(await status('apart', { headers: [['x-b', b]] })).toBe(401);
  });

  test('counts where it is the one in the header; of two good tokens the other is not looked at further', async () => {
    const [good, odd] = [await ours.token(), await ours.oddToken({}, { crit: ['x'] })];
    expect(await status('usual', { ...bearer(odd), path: `/?access_token=${good}` })).toBe(401);
    expect(await status('usual', { ...bearer(good), path: `/?access_token=${odd}` })).toBe(200);
  });

  test('is reported as one that is not valid', async () => {
    const answer = await gates.send('usual', bearer(await ours.oddToken({}, { crit: ['x'] })));
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(answer.seen).toBeUndefined();
  });
});

describe('several rules', () => {
  test('take the tokens of either issuer in the usual place', async () => {
    const tokens = [await ours.token(), await other.token()];
    expect(await Promise.all(tokens.map((token) => status('two', bearer(token))))).toEqual([200, 200]);
  });

  test('take no token that one issuer signed in the name of the other', async () => {
    expect(await status('two', bearer(await ours.token({ iss: other.name })))).toBe(401);
    expect(await status('two', bearer(await other.token({ iss: ours.name })))).toBe(401);
  });

  test('look for a token in the place of its own rule only', async () => {
    const [a, b] = [await ours.token(), await other.token()];
    const send = (...headers: [string, string][]) => status('apart', { headers });
    expect(await send(['x-a', a])).toBe(200);
    expect(await send(['x-b', b])).toBe(200);
    expect(await send(['x-b', a])).toBe(401);
    expect(await send(['authorization', `Bearer ${b}`])).toBe(200);
  });

  test('without an issuer take whatever the key signed', async () => {
    expect(await status('any issuer', bearer(await ours.token({ iss: 'anybody' })))).toBe(200);
    expect(await status('any issuer', bearer(await impostor.token()))).toBe(401);
  });
});

describe('a rule whose keys are not at hand', () => {
  test('lets requests without a token through and refuses each token', async () => {
    expect(await status('no keys')).toBe(200);
    expect(await status('no keys', bearer(await ours.token()))).toBe(401);
    expect(await status('no keys', bearer(await ours.token({}, { kid: standInKid })))).toBe(401);
  });
});
