import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { delay } from '../../../lib/abort.ts';
import { type GateRequest, type InboundGates, startInboundGates } from '../testing/inbound-gate.ts';
import { standInKid } from './stand-in.ts';
import { createIssuer, type Issuer, nowS, tokenPolicy, unsigned } from './testing/issuer.ts';

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
  const second = { issuer: other.name, jwks: other.keySet };
  gates = await startInboundGates({
    nobody: '',
    usual: tokenPolicy('p', rule),
    audience: tokenPolicy('p', { ...rule, audiences: ['shop', 'store'] }),
    'audience or none': `${tokenPolicy('p', { ...rule, audiences: ['shop'] })}\n---\n${tokenPolicy('q', rule)}`,
    two: tokenPolicy('p', rule, second),
    'any issuer': tokenPolicy('p', { jwks: ours.keySet, jwksUri: 'https://issuer.example/keys' }),
    header: tokenPolicy('p', { ...rule, fromHeaders: [{ name: 'x-jwt-token', prefix: 'Value ' }] }),
    params: tokenPolicy('p', { ...rule, fromParams: ['token', 'secondary_token'] }),
    cookies: tokenPolicy('p', { ...rule, fromCookies: ['session'] }),
    apart: tokenPolicy('p', { ...rule, fromHeaders: [{ name: 'x-a' }] }, { ...second, fromHeaders: [{ name: 'x-b' }] }),
    forwarded: tokenPolicy('p', { ...rule, forwardOriginalToken: true, outputPayloadToHeader: 'x-payload' }),
    claims: tokenPolicy('p', {
      ...rule,
      outputClaimToHeaders: [
        { header: 'x-sub', claim: 'sub' },
        { header: 'x-role', claim: 'realm.access.role' },
      ],
    }),
    'no keys': tokenPolicy('p', { issuer: ours.name, jwksUri: 'https://issuer.example/keys' }),
  });
});
afterAll(() => gates?.close());

const bearer = (token: string): GateRequest => ({ headers: [['authorization', `Bearer ${token}`]] });
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
  test('is good until it expires and refused from two seconds after', async () => {
    const exp = nowS() + 3;
    const seen = await statusesUntil(exp + 4, bearer(await ours.token({ exp })));
    const early = seen.filter(({ after }) => after < exp).map(({ code }) => code);
    const late = seen.filter(({ before }) => before >= exp + 2).map(({ code }) => code);
    expect(new Set(early)).toEqual(new Set([200]));
    expect(new Set(late)).toEqual(new Set([401]));
    expect(seen.map(({ code }) => code).lastIndexOf(200)).toBeLessThan(seen.findIndex(({ code }) => code === 401));
  }, 15_000);

  test('is refused until two seconds before it becomes valid and good from then on', async () => {
    const nbf = nowS() + 4;
    const seen = await statusesUntil(nbf + 2, bearer(await ours.token({ nbf })));
    const early = seen.filter(({ after }) => after < nbf - 2).map(({ code }) => code);
    const late = seen.filter(({ before }) => before >= nbf).map(({ code }) => code);
    expect(new Set(early)).toEqual(new Set([401]));
    expect(new Set(late)).toEqual(new Set([200]));
  }, 15_000);

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
  ])('%s in the token', async (_name, aud, expected) => {
    expect(await status('audience', bearer(await ours.token({ aud })))).toBe(expected);
  });

  test('of one policy do not bind the tokens of another', async () => {
    expect(await status('audience or none', bearer(await ours.token()))).toBe(200);
    expect(await status('audience or none', bearer(await impostor.token({ aud: 'shop' })))).toBe(401);
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

describe('places', () => {
  test.each<[string, number, (good: string) => GateRequest]>([
    ['header', 200, (good) => ({ headers: [['x-jwt-token', `Value ${good}`]] })],
    ['header', 401, () => ({ headers: [['x-jwt-token', 'Value a.b.c']] })],
    ['header', 200, () => bearer('a.b.c')],
    ['header', 200, () => ({ path: '/?access_token=a.b.c' })],
    ['params', 200, (good) => ({ path: `/?token=${good}` })],
    ['params', 200, (good) => ({ path: `/?x=1&secondary_token=${good}` })],
    ['params', 401, () => ({ path: '/?secondary_token=a.b.c' })],
    ['params', 200, () => ({ path: '/?other_token=a.b.c' })],
    ['params', 200, () => bearer('a.b.c')],
    ['cookies', 200, (good) => ({ headers: [['cookie', `x=1; session=${good}`]] })],
    ['cookies', 401, () => ({ headers: [['cookie', 'session=a.b.c']] })],
    ['cookies', 200, () => ({ headers: [['cookie', 'other=a.b.c']] })],
  ])('%s: %i', async (gate, expected, request) => {
    expect(await status(gate, request(await ours.token()))).toBe(expected);
  });
});

describe('the application', () => {
  test('gets no token, from the header or from the query, and the rest of the query', async () => {
    const token = await ours.token();
    const byHeader = await gates.send('usual', bearer(token));
    expect(byHeader.seen?.headers).not.toHaveProperty('authorization');
    const byQuery = await gates.send('usual', { path: `/a?x=1&access_token=${token}&y=2` });
    expect(byQuery.seen?.url).toBe('/a?x=1&y=2');
  });

  test('gets token and payload where the rule says so', async () => {
    const token = await ours.token();
    const { seen } = await gates.send('forwarded', bearer(token));
    expect(seen?.headers).toMatchObject({ authorization: `Bearer ${token}`, 'x-payload': token.split('.')[1] });
  });

  test('gets claims, also those inside others, and no copies that the client sent', async () => {
    const token = await ours.token({ realm: { access: { role: 'admin' } } });
    const forged: [string, string][] = [
      ['x-sub', 'mallory'],
      ['x-role', 'root'],
    ];
    const sent = await gates.send('claims', { headers: [['authorization', `Bearer ${token}`], ...forged] });
    expect(sent.seen?.headers).toMatchObject({ 'x-sub': 'alice', 'x-role': 'admin' });
    const without = await gates.send('claims', { headers: forged });
    expect(without.seen?.headers).not.toHaveProperty('x-sub');
    expect(without.seen?.headers).not.toHaveProperty('x-role');
  });
});

describe('the answer', () => {
  test('to a bad token says nothing where the URL may hold one', async () => {
    const { status: code, headers, body } = await gates.send('usual', { path: '/?access_token=a.b.c' });
    expect({ code, body, challenge: headers['www-authenticate'] }).toEqual({
      code: 401,
      body: '',
      challenge: undefined,
    });
  });

  test('to a bad token names the fault where tokens come in headers', async () => {
    const token = await ours.token({ exp: nowS() - 60 });
    const { headers, body } = await gates.send('header', { headers: [['x-jwt-token', `Value ${token}`]] });
    expect(body).toBe('Jwt is expired');
    expect(headers['www-authenticate']).toContain('error="invalid_token"');
  });

  test('to a preflight is the application’s, whatever token it brings', async () => {
    const preflight = [['origin', 'https://a.example'] as const, ['authorization', 'Bearer a.b.c'] as const];
    const method = ['access-control-request-method', 'GET'] as const;
    expect(await status('usual', { method: 'OPTIONS', headers: [...preflight, method] })).toBe(200);
    expect(await status('usual', { method: 'OPTIONS', headers: preflight })).toBe(401);
    expect(await status('usual', { method: 'GET', headers: [...preflight, method] })).toBe(401);
  });
});

describe('a bad token gets nowhere', () => {
  const bad = 'Authorization: Bearer a.b.c';
  const host = 'Host: httpbin.a';

  test.each<[string, readonly string[], number]>([
    ['in the absolute form', ['GET http://httpbin.a/ HTTP/1.1', host, bad], 401],
    // CVE-2020-8595: a token that was checked for a path was not for the path with a query or a fragment.
    ['with a query', ['GET /headers?a=1 HTTP/1.1', host, bad], 401],
    ['with an empty query', ['GET /headers? HTTP/1.1', host, bad], 401],
    ['with a fragment', ['GET /headers#a HTTP/1.1', host, bad], 400],
    ['with a slash at the end', ['GET /headers/ HTTP/1.1', host, bad], 401],
    ['with a parameter in the path', ['GET /headers;a=1 HTTP/1.1', host, bad], 401],
    ['with a path of two slashes', ['GET // HTTP/1.1', host, bad], 401],
    ['with a path that leaves the root', ['GET /../x HTTP/1.1', host, bad], 401],
    ['with an escaped path', ['GET /%2e%2f HTTP/1.1', host, bad], 401],
    ['with an unknown method', ['BREW / HTTP/1.1', host, bad], 400],
    ['with an upgrade', ['GET / HTTP/1.1', host, bad, 'Connection: upgrade', 'Upgrade: websocket'], 401],
    ['to no path', ['OPTIONS * HTTP/1.1', host, bad], 404],
    ['to a tunnel', ['CONNECT httpbin.a:80 HTTP/1.1', host, bad], 404],
    ['over HTTP/1.0', ['GET / HTTP/1.0', host, bad], 426],
    ['in other letters', ['GET / HTTP/1.1', host, bad.toUpperCase().replace('BEARER', 'Bearer')], 401],
    ['after a tab', ['GET / HTTP/1.1', host, 'Authorization:\tBearer a.b.c'], 401],
    ['before blanks', ['GET / HTTP/1.1', host, `${bad} \t `], 401],
    ['with a blank before the colon', ['GET / HTTP/1.1', host, 'Authorization : Bearer a.b.c'], 400],
    ['on a second line', ['GET / HTTP/1.1', host, 'Authorization: Bearer', ' a.b.c'], 401],
    ['after another scheme', ['GET / HTTP/1.1', host, 'Authorization: Basic YTpi, Bearer a.b.c'], 401],
    ['after another header line', ['GET / HTTP/1.1', host, 'Authorization: Basic YTpi', bad], 401],
    ['after an empty line of the same name', ['GET / HTTP/1.1', host, 'Authorization:', bad], 401],
  ])('%s', async (_name, lines, expected) => {
    expect(await gates.sendRaw('usual', `${lines.join('\r\n')}\r\n\r\n`)).toBe(expected);
  });

  test.each<[string, Record<string, string>, number]>([
    ['over HTTP/2', { authorization: 'Bearer a.b.c' }, 401],
    ['over HTTP/2 after blanks', { authorization: '  Bearer a.b.c' }, 401],
    ['over HTTP/2 with a method in small letters', { ':method': 'get', authorization: 'Bearer a.b.c' }, 401],
  ])('%s', async (_name, headers, expected) => {
    expect(await gates.sendHttp2('usual', { ':path': '/', ...headers })).toBe(expected);
  });
});

describe('a rule whose keys are not at hand', () => {
  test('lets requests without a token through and refuses each token', async () => {
    expect(await status('no keys')).toBe(200);
    expect(await status('no keys', bearer(await ours.token()))).toBe(401);
    expect(await status('no keys', bearer(await ours.token({}, { kid: standInKid })))).toBe(401);
  });
});
