import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GateRequest, type InboundGates, startInboundGates } from '../testing/inbound-gate.ts';
import { bearer, createIssuer, type Issuer, nowS, tokenPolicy } from './testing/issuer.ts';

let ours: Issuer;
let gates: InboundGates;

beforeAll(async () => {
  ours = await createIssuer('https://issuer.example');
  const rule = { issuer: ours.name, jwks: ours.keySet };
  gates = await startInboundGates({
    usual: tokenPolicy('p', rule),
    header: tokenPolicy('p', { ...rule, fromHeaders: [{ name: 'x-jwt-token', prefix: 'Value ' }] }),
    'bare header': tokenPolicy('p', { ...rule, fromHeaders: [{ name: 'Authorization' }] }),
    params: tokenPolicy('p', { ...rule, fromParams: ['token', 'secondary_token'] }),
    cookies: tokenPolicy('p', { ...rule, fromCookies: ['session'] }),
    forwarded: tokenPolicy('p', { ...rule, forwardOriginalToken: true, outputPayloadToHeader: 'x-payload' }),
    claims: tokenPolicy('p', {
      ...rule,
      outputClaimToHeaders: [
        { header: 'x-sub', claim: 'sub' },
        { header: 'x-role', claim: 'realm.access.role' },
      ],
    }),
  });
});

afterAll(() => gates?.close());

const status = async (gate: string, request?: GateRequest): Promise<number> => (await gates.send(gate, request)).status;

describe('places', () => {
  test.each<[string, number, (good: string) => GateRequest]>([
    ['header', 200, (good) => ({ headers: [['x-jwt-token', `Value ${good}`]] })],
    ['header', 401, () => ({ headers: [['x-jwt-token', 'Value a.b.c']] })],
    ['header', 200, () => bearer('a.b.c')],
    ['header', 200, () => ({ path: '/?access_token=a.b.c' })],
    // What the rule header-scheme-as-token of lint says.
    ['bare header', 401, bearer],
    ['bare header', 200, (good) => ({ headers: [['authorization', good]] })],
    ['params', 200, (good) => ({ path: `/?token=${good}` })],
    ['params', 200, (good) => ({ path: `/?x=1&secondary_token=${good}` })],
    ['params', 401, () => ({ path: '/?secondary_token=a.b.c' })],
    ['params', 200, () => ({ path: '/?other_token=a.b.c' })],
    ['params', 200, () => bearer('a.b.c')],
    ['cookies', 200, (good) => ({ headers: [['cookie', `x=1; session=${good}`]] })],
    ['cookies', 401, () => ({ headers: [['cookie', 'session=a.b.c']] })],
    ['cookies', 200, () => ({ headers: [['cookie', 'other=a.b.c']] })],
  ])('a rule that names %s as the place answers %i', async (gate, expected, request) => {
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
