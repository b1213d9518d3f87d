import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIssuer, type Issuer, tokenPolicy } from '../authentication/testing/issuer.ts';
import { type GateRequest, type InboundGates, startInboundGates } from '../testing/inbound-gate.ts';

/** Rules in YAML's flow form: one policy of an action, or several. */
const rules: Readonly<Record<string, readonly (readonly [action: string, rules: string])[]>> = {
  'deny on /headers without a token': [
    ['DENY', '[{from: [{source: {notRequestPrincipals: ["*"]}}], to: [{operation: {paths: [/headers]}}]}]'],
  ],
  'deny without a token': [['DENY', '[{from: [{source: {notRequestPrincipals: ["*"]}}]}]']],
  'allow one principal': [['ALLOW', '[{from: [{source: {requestPrincipals: ["issuer-with/slashes/sub"]}}]}]']],
  'allow an issuer': [['ALLOW', '[{from: [{source: {requestPrincipals: ["https://issuer.example/*"]}}]}]']],
  'deny within allow': [
    ['DENY', '[{to: [{operation: {paths: [/allow/admin]}}]}]'],
    ['ALLOW', '[{to: [{operation: {paths: ["/allow*"]}}]}]'],
  ],
  'deny but one': [['DENY', '[{to: [{operation: {paths: ["/prefix*"], notPaths: [/prefix/allowlist]}}]}]']],
  'allow nothing': [['ALLOW', '[]']],
  'allow everything, deny /x': [
    ['ALLOW', '[{}]'],
    ['DENY', '[{to: [{operation: {paths: [/x]}}]}]'],
  ],
  'deny /private': [['DENY', '[{to: [{operation: {paths: [/private]}}]}]']],
  'deny /v1/a:b': [['DENY', '[{to: [{operation: {paths: ["/v1/a:b", "/users/@me*", "/é", "/o p", "/{*}/x@y"]}}]}]']],
  'deny hosts': [['DENY', '[{to: [{operation: {hosts: [exact.example, "prefix*", "*.suffix.example"]}}]}]']],
  'allow hosts': [['ALLOW', '[{to: [{operation: {hosts: [exact.example, "*.suffix.example"]}}]}]']],
  'allow other hosts': [['ALLOW', '[{to: [{operation: {notHosts: [exact.example]}}]}]']],
  'deny POST': [['DENY', '[{to: [{operation: {methods: [POST]}}]}]']],
  'deny other methods': [['DENY', '[{to: [{operation: {notMethods: [GET, "H*"]}}]}]']],
  'allow a group': [
    ['ALLOW', '[{when: [{key: "request.auth.claims[groups]", values: [group-2]}]}]'],
    ['ALLOW', '[{when: [{key: "request.auth.claims[permission]", values: [write]}]}]'],
    ['ALLOW', '[{when: [{key: "request.auth.claims[nested][key]", values: ["valu*"]}]}]'],
    ['ALLOW', '[{when: [{key: request.auth.audiences, values: [shop]}]}]'],
    ['ALLOW', '[{when: [{key: request.auth.presenter, values: [app]}]}]'],
  ],
  'allow a header': [['ALLOW', '[{when: [{key: "request.headers[x-foo]", values: [foo, "pre*", "*suf"]}]}]']],
  'deny a header': [['DENY', '[{when: [{key: "request.headers[X-Role]", values: [admin, "root*", "*.ops"]}]}]']],
  'allow other headers': [['ALLOW', '[{when: [{key: "request.headers[x-role]", notValues: [admin]}]}]']],
  'deny any value': [['DENY', '[{when: [{key: "request.headers[x-debug]", values: ["*"]}]}]']],
  'allow /a*b': [['ALLOW', '[{to: [{operation: {paths: ["/a*b"]}}]}]']],
  templates: [
    ['ALLOW', '[{to: [{operation: {paths: ["/allow/admin/{**}", "/foo/{*}/bar/{**}", "/store/{**}/cart"]}}]}]'],
  ],
  audited: [['AUDIT', '[{}]']],
  'two conditions': [
    ['ALLOW', '[{when: [{key: "request.headers[x-a]", values: [a]}, {key: "request.headers[x-b]", values: [b]}]}]'],
  ],
  'from and to': [
    [
      'ALLOW',
      '[{from: [{source: {requestPrincipals: ["*"]}}], to: [{operation: {methods: [GET]}}, {operation: {paths: [/p]}}]}]',
    ],
  ],
  'quoted text': [['DENY', '[{when: [{key: "request.headers[x-q]", values: ["a.b(c", "[x]+*"]}]}]']],
};

let ours: Issuer;
let slashes: Issuer;
let gates: InboundGates;

beforeAll(async () => {
  ours = await createIssuer('https://issuer.example');
  slashes = await createIssuer('issuer-with/slashes');
  const tokens = tokenPolicy(
    'tokens',
    { issuer: ours.name, jwks: ours.keySet },
    { issuer: slashes.name, jwks: slashes.keySet },
  );
  const texts = Object.entries(rules).map(([name, policies]) => {
    const own = policies.map(([action, text], i) => policy(`p${i}`, action, text));
    return [name, [tokens, ...own].join('\n---\n')] as const;
  });
  const tried = policy('p', 'DENY', '[{}]', '{mesh.io/dry-run: "true"}');
  const allowTried = policy('q', 'ALLOW', '[]', '{mesh.io/dry-run: "true"}');
  gates = await startInboundGates({ ...Object.fromEntries(texts), tried: `${tried}\n---\n${allowTried}` });
});
afterAll(() => gates?.close());

function policy(name: string, action: string, text: string, annotations = '{}'): string {
  return `apiVersion: security.mesh.io/v1beta1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: a, annotations: ${annotations}}
spec: {action: ${action}, rules: ${text}}`;
}

type Row = readonly [gate: string, request: string, status: number];

/** `GET /path`, or a path alone, then headers: `x-a: b`. */
function requestOf(text: string): GateRequest {
  const [line = '', ...headers] = text.split(' | ');
  const [method, path] = line.startsWith('/') ? ['GET', line] : line.split(' ');
  return {
    method: method ?? 'GET',
    path: path ?? '/',
    headers: headers.map((header) => {
      const colon = header.indexOf(': ');
      return [header.slice(0, colon), header.slice(colon + 2)] as const;
    }),
  };
}

describe('rules about requests', () => {
  test.each<Row>([
    ['allow nothing', '/', 403],
    ['deny within allow', '/allow', 200],
    ['deny within allow', '/allow/admin', 403],
    ['deny within allow', '/allow/admin?x=1', 403],
    ['deny within allow', '/other', 403],
    ['deny but one', '/prefix/other', 403],
    ['deny but one', '/prefix/allowlist', 200],
    ['deny but one', '/elsewhere', 200],
    ['allow everything, deny /x', '/y', 200],
    ['allow everything, deny /x', '/x', 403],
    ['deny /private', '/public/%2e%2e/private', 403],
    ['deny /private', '/public/.././private', 403],
    ['deny /private', '//private', 403],
    ['deny /private', '/%2fprivate', 403],
    ['deny /private', '/public/..%5cprivate', 403],
    ['deny /private', '/%70rivate?x', 403],
    ['deny /private', '/privateer', 200],
    ['deny /v1/a:b', '/v1/a:b', 403],
    ['deny /v1/a:b', '/v1/a%3Ab', 403],
    ['deny /v1/a:b', '/v1/a%3ab', 403],
    ['deny /v1/a:b', '/v1/a%253Ab', 200],
    ['deny /v1/a:b', '/users/%40me/x', 403],
    ['deny /v1/a:b', '/%c3%A9', 403],
    ['deny /v1/a:b', '/o%20p', 403],
    ['deny /v1/a:b', '/z/x%40y', 403],
    ['deny /v1/a:b', '/v1/a', 200],
    ['deny POST', 'POST /', 403],
    ['deny POST', 'PUT /', 200],
    ['deny other methods', 'GET /', 200],
    ['deny other methods', 'HEAD /', 200],
    ['deny other methods', 'DELETE /', 403],
    ['allow /a*b', '/a*b', 200],
    ['allow /a*b', '/axb', 403],
    ['templates', '/allow/admin/', 200],
    ['templates', '/allow/admin', 403],
    ['templates', '/allow/admin/foo/temp.txt', 200],
    ['templates', '/allow/admin?param=value', 403],
    ['templates', '/foo/buzz/bar/bat', 200],
    ['templates', '/foo/bar/bat.txt', 403],
    ['templates', '/foo//bar/bat.txt', 403],
    ['templates', '/store/foo/cart', 200],
    ['templates', '/store/cart', 403],
    ['audited', '/', 200],
    ['tried', '/', 200],
    ['two conditions', '/ | x-a: a | x-b: b', 200],
    ['two conditions', '/ | x-a: a', 403],
  ])('%s: %s is answered %i', async (gate, request, status) => {
    expect((await gates.send(gate, requestOf(request))).status).toBe(status);
  });

  test('answer gRPC in its own form', async () => {
    const { status, headers } = await gates.send(
      'allow nothing',
      requestOf('POST /s/M | content-type: application/grpc'),
    );
    expect([status, headers['grpc-status']]).toEqual([200, '7']);
  });
});

describe('rules about hosts', () => {
  test.each<Row>([
    ['deny hosts', 'exact.example', 403],
    ['deny hosts', 'EXACT.Example', 403],
    ['deny hosts', 'exact.example:8080', 403],
    ['deny hosts', 'exact.example.', 403],
    ['deny hosts', 'exact.example.:80', 403],
    ['deny hosts', 'exact.example:', 403],
    ['deny hosts', 'exact.example:abc', 403],
    ['deny hosts', 'u@exact.example', 403],
    ['deny hosts', 'a.example\r\nHost: exact.example', 403],
    ['deny hosts', 'exact.example\r\nHost: a.example', 403],
    ['deny hosts', '', 403],
    ['deny hosts', 'Prefix.example', 403],
    ['deny hosts', 'a.suffix.example:80', 403],
    ['deny hosts', 'a.SUFFIX.example.', 403],
    ['deny hosts', 'other.example', 200],
    ['deny hosts', 'exact.example.org', 200],
    ['allow hosts', 'exact.example:80', 200],
    ['allow hosts', 'Exact.Example', 200],
    ['allow hosts', 'a.suffix.example', 200],
    ['allow hosts', 'suffix.example', 403],
    ['allow hosts', 'other.example', 403],
    ['allow hosts', 'exact.example.org', 403],
    ['allow other hosts', 'other.example', 200],
    ['allow other hosts', 'exact.example:80', 403],
    ['allow other hosts', 'u@exact.example', 403],
  ])('%s: host %j is answered %i', async (gate, host, status) => {
    expect(await gates.sendRaw(gate, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe(status);
  });

  test('see the host of an absolute URL, not the header', async () => {
    const bytes = 'GET http://exact.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n';
    expect(await gates.sendRaw('deny hosts', bytes)).toBe(403);
  });
});

describe('rules about headers', () => {
  test.each<Row>([
    ['allow a header', '/ | x-foo: foo', 200],
    ['allow a header', '/ | X-Foo: prefixed', 200],
    ['allow a header', '/ | x-foo: asuf', 200],
    ['allow a header', '/ | x-foo: food', 403],
    ['allow a header', '/', 403],
    ['deny a header', '/ | x-role: admin', 403],
    ['deny a header', '/ | x-role: user, admin', 403],
    ['deny a header', '/ | x-role: admin,user', 403],
    ['deny a header', '/ | x-role: user | x-role: admin', 403],
    ['deny a header', '/ | x-role: rooted', 403],
    ['deny a header', '/ | x-role: a.ops, b', 403],
    ['deny a header', '/ | x-role: administrator', 200],
    ['deny a header', '/ | x-role: ADMIN', 200],
    ['deny a header', '/', 200],
    ['allow other headers', '/', 200],
    ['allow other headers', '/ | x-role: user', 200],
    ['allow other headers', '/ | x-role: user, admin', 403],
    ['deny any value', '/ | x-debug: 1', 403],
    ['deny any value', '/', 200],
    ['quoted text', '/ | x-q: a.b(c', 403],
    ['quoted text', '/ | x-q: axb(c', 200],
    ['quoted text', '/ | x-q: [x]+y', 403],
    ['quoted text', '/ | x-q: xx', 200],
  ])('%s: %s is answered %i', async (gate, request, status) => {
    expect((await gates.send(gate, requestOf(request))).status).toBe(status);
  });

  test.each([0x80, 0x8d, 0xa0, 0xc3, 0xff])('are not evaded by a byte 0x%x beside the value', async (byte) => {
    const odd = String.fromCharCode(byte);
    for (const value of [`admin,${odd}`, `${odd}, admin`, `x${odd}.ops`]) {
      const bytes = Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\nx-role: ${value}\r\n\r\n`, 'latin1').toString('latin1');
      expect(await gates.sendRaw('deny a header', bytes)).toBe(403);
    }
  });

  test('are not evaded by a folded line', async () => {
    expect(await gates.sendRaw('deny a header', 'GET / HTTP/1.1\r\nHost: a\r\nx-role: user,\r\n admin\r\n\r\n')).toBe(
      403,
    );
  });
});

describe('rules over HTTP/2', () => {
  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['deny a header', { 'x-role': ' admin' }, 403],
    ['deny a header', { 'x-role': 'admin\t' }, 403],
    ['deny a header', { 'x-role': 'user ,  admin  ' }, 403],
    ['deny a header', { 'x-role': ' root' }, 403],
    ['deny a header', { 'x-role': 'user' }, 200],
    ['allow other headers', { 'x-role': ' admin ' }, 403],
    ['allow a header', { 'x-foo': ' foo' }, 403],
    ['deny POST', { ':method': 'post' }, 403],
    ['deny POST', { ':method': 'PoSt' }, 403],
    ['deny other methods', { ':method': 'FOO' }, 403],
    ['deny /private', { ':path': '//private' }, 403],
    ['deny /private', { ':path': '/%70rivate' }, 403],
    ['deny hosts', { ':authority': 'Exact.example:81' }, 403],
    ['deny hosts', { ':authority': 'exact.example.' }, 403],
  ])('%s: %j is answered %i', async (gate, headers, status) => {
    expect(await gates.sendHttp2(gate, headers)).toBe(status);
  });
});

describe('rules about tokens', () => {
  const bearer = (token: string): readonly (readonly [string, string])[] => [['authorization', `Bearer ${token}`]];

  test.each<[string, string, number, Readonly<Record<string, unknown>> | 'none' | 'bad']>([
    ['deny without a token', '/', 403, 'none'],
    ['deny without a token', '/', 401, 'bad'],
    ['deny without a token', '/', 200, {}],
    ['deny without a token', '/', 403, { sub: undefined }],
    ['deny without a token', '/', 403, { sub: '' }],
    ['deny on /headers without a token', '/ip', 200, 'none'],
    ['deny on /headers without a token', '/headers', 403, 'none'],
    ['deny on /headers without a token', '/headers?x=1', 403, 'none'],
    ['deny on /headers without a token', '/headers', 200, {}],
    ['allow nothing', '/', 401, 'bad'],
    ['allow an issuer', '/', 200, {}],
    ['allow an issuer', '/', 403, 'none'],
    ['allow a group', '/', 403, {}],
    ['allow a group', '/', 200, { groups: ['group-1', 'group-2'] }],
    ['allow a group', '/', 200, { groups: 'group-2' }],
    ['allow a group', '/', 403, { groups: ['group-22'] }],
    ['allow a group', '/', 200, { permission: 'a write' }],
    ['allow a group', '/', 403, { permission: 'awrite' }],
    ['allow a group', '/', 200, { nested: { key: 'value-3' } }],
    ['allow a group', '/', 403, { 'nested.key': 'value-3' }],
    ['allow a group', '/', 200, { aud: ['shop', 'other'] }],
    ['allow a group', '/', 200, { azp: 'app' }],
    ['from and to', '/p', 200, {}],
    ['from and to', '/p', 403, 'none'],
  ])('%s: %s is answered %i to a token with %j', async (gate, path, status, claims) => {
    const token = claims === 'none' ? undefined : claims === 'bad' ? 'a.b.c' : await ours.token(claims);
    expect((await gates.send(gate, { path, headers: token === undefined ? [] : bearer(token) })).status).toBe(status);
  });

  test('split a principal at its last slash', async () => {
    const of = async (issuer: Issuer, sub: string) =>
      (await gates.send('allow one principal', { headers: bearer(await issuer.token({ sub })) })).status;
    expect(await of(slashes, 'sub')).toBe(200);
    expect(await of(slashes, 'other')).toBe(403);
    expect(await of(ours, 'sub')).toBe(403);
  });
});
