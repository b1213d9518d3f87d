import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GateRequest, InboundGates } from '../testing/inbound-gate.ts';
import { type Rules, rulePolicy, startRuleGates } from './testing/rule-gates.ts';

const rules: Rules = {
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
  'deny POST': [['DENY', '[{to: [{operation: {methods: [POST]}}]}]']],
  'deny other methods': [['DENY', '[{to: [{operation: {notMethods: [GET, "H*"]}}]}]']],
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
  'quoted text': [['DENY', '[{when: [{key: "request.headers[x-q]", values: ["a.b(c", "[x]+*"]}]}]']],
};

let gates: InboundGates;

beforeAll(async () => {
  const tried = rulePolicy('p', 'DENY', '[{}]', '{mesh.io/dry-run: "true"}');
  const allowTried = rulePolicy('q', 'ALLOW', '[]', '{mesh.io/dry-run: "true"}');
  gates = await startRuleGates(rules, '', { tried: `${tried}\n---\n${allowTried}` });
});

afterAll(() => gates?.close());

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
  ])('%s: %j is answered %i', async (gate, headers, status) => {
    expect(await gates.sendHttp2(gate, headers)).toBe(status);
  });
});
