import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { tries } from '../../../testing/effort.ts';
import { authorities } from '../../../testing/generated-authorities.ts';
import * as make from '../../../testing/objects.ts';
import { checkPaths } from '../../merge/path-checks.ts';
import type { AuthorizationRule } from '../../policy/authorization-policy.ts';
import { checkImpossibleValues } from '../../schema/rules/impossible-values.ts';
import type { AuthorityWay } from '../testing/ask-authorities.ts';
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
  'deny hosts': [['DENY', '[{to: [{operation: {hosts: [exact.example, "prefix*", "*.suffix.example"]}}]}]']],
  'allow hosts': [['ALLOW', '[{to: [{operation: {hosts: [exact.example, "*.suffix.example"]}}]}]']],
  'allow hosts by prefix': [['ALLOW', '[{to: [{operation: {hosts: ["exact*"]}}]}]']],
  'deny all other hosts': [['DENY', '[{to: [{operation: {notHosts: [exact.example, "*.suffix.example"]}}]}]']],
  'allow a host header': [
    ['ALLOW', '[{when: [{key: "request.headers[Host]", values: [exact.example, "*.suffix.example"]}]}]'],
  ],
  'allow other hosts': [['ALLOW', '[{to: [{operation: {notHosts: [exact.example]}}]}]']],
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

/** Gates that nobody guards, by how they normalize paths. */
const levels = ['NONE', 'BASE', 'MERGE_SLASHES', 'DECODE_AND_MERGE_SLASHES'] as const;

beforeAll(async () => {
  const tried = rulePolicy('p', 'DENY', '[{}]', '{mesh.io/dry-run: "true"}');
  const allowTried = rulePolicy('q', 'ALLOW', '[]', '{mesh.io/dry-run: "true"}');
  const open = Object.fromEntries(levels.map((level) => [level, '']));
  const settings = Object.fromEntries(levels.map((level) => [level, { pathNormalization: level }]));
  gates = await startRuleGates(rules, '', { tried: `${tried}\n---\n${allowTried}`, ...open }, settings);
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
    ['allow hosts', 'exact.example.', 200],
    ['allow hosts', 'exact.example.:80', 200],
    ['allow hosts', 'exact.example..', 403],
    ['allow hosts', 'exact.example:', 403],
    ['allow hosts', 'exact.example:@evil.example', 403],
    ['allow hosts', 'exact.example:,evil.example', 403],
    ['allow hosts', 'exact.example\r\nHost: evil.example', 403],
    ['allow hosts', 'internal:80.suffix.example', 403],
    ['allow hosts', 'internal:.suffix.example', 403],
    ['allow hosts', 'evil.example,a.suffix.example', 403],
    ['allow hosts', '[a.suffix.example:]internal', 403],
    ['allow hosts by prefix', 'exact.other:80', 200],
    ['allow hosts by prefix', 'exact:80@evil.example', 403],
    ['allow hosts by prefix', 'exact:]evil.example', 403],
    ['deny all other hosts', 'a.suffix.example:80', 200],
    ['deny all other hosts', 'internal:80.suffix.example', 403],
    ['allow a host header', 'a.suffix.example:80', 200],
    ['allow a host header', 'internal:80.suffix.example', 403],
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

const count = tries(100, 160);
const seed = Number(process.env.GENERATED_SEED ?? Math.trunc(Math.random() * 2 ** 31));

describe(`of ${count} generated authorities`, () => {
  const ways: readonly AuthorityWay[] = ['Host', 'URL', ':authority'];
  const near = ['exact.example', 'a.suffix.example', 'suffix.example', 'x.exact.example', '.suffix.example'];
  const generated = fc.sample(authorities(near), { numRuns: count, seed });
  const isNamed = (host: string): boolean => host === 'exact.example' || /^[^.].*\.suffix\.example$/.test(host);
  const cases: readonly [string, (host: string) => boolean][] = [
    ['allow hosts', isNamed],
    ['deny all other hosts', isNamed],
    ['allow a host header', isNamed],
    ['allow hosts by prefix', (host) => host.startsWith('exact')],
  ];

  test.each(cases)('%s: only those reach the application that are named however it reads them', async (gate, named) => {
    const evaded: string[] = [];
    let granted = 0;
    for (const way of ways) {
      const plain = await gates.askAuthorities(gate, way, ['exact.example:80', ...generated]);
      for (const body of plain.filter((answer) => answer.startsWith('{'))) {
        const { host } = (JSON.parse(body) as { readonly headers: { readonly host: string } }).headers;
        granted += 1;
        if (!hostReadings(host).every(named)) evaded.push(`${way} ${JSON.stringify(host)}`);
      }
    }
    expect(evaded, `GENERATED_SEED=${seed}`).toEqual([]);
    expect(granted).toBeGreaterThanOrEqual(ways.length);
  });
});

/** What parsers make of an authority, careless ones among them: hosts in lower case, without a port. */
function hostReadings(authority: string): readonly string[] {
  const text = authority.toLowerCase();
  const parts = [text, ...text.split(/[@,;/\\?#\s]/), ...text.split(/[[\]]/)];
  const hosts = parts.flatMap((part) => [part.replace(/:.*$/, ''), part.replace(/:[^:]*$/, '')]);
  const url = `http://${text}/`;
  return [...hosts, ...(URL.canParse(url) ? [new URL(url).hostname] : [])];
}

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

describe('a value is called impossible', () => {
  const isImpossible = (rule: AuthorizationRule): boolean => {
    let isReported = false;
    checkImpossibleValues(make.authorizationPolicy('a/p', { action: 'DENY', rules: [rule] }), () => {
      isReported = true;
    });
    return isReported;
  };
  const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));

  test.each(levels)('under %s for no path that a request arrives with', async (level) => {
    const parts = ['', '.', '..', '%2e', '.%2E', '%2f', '%5c', '\\', 'a', '%61', '..;', '%00', 'b%2Fc'];
    const pairs = parts.flatMap((a) => parts.map((b) => [`/${a}/${b}`, `/x${a}${b}/`, `/x/${a}/${b}/y`])).flat();
    const bag = new DiagnosticBag();
    const answers = await Promise.all(pairs.map((path) => gates.send(level, { path })));
    const paths = [...new Set(answers.flatMap(({ seen }) => seen?.url ?? []))];
    expect(paths.length).toBeGreaterThan(50);
    const policy = make.authorizationPolicy('a/p', { action: 'DENY', rules: [{ to: [{ operation: { paths } }] }] });
    checkPaths([policy], { ...defaultSettings, pathNormalization: level }, bag);
    expect(bag.all.map(({ message }) => message)).toEqual([]);
  });

  test('for the hosts that Envoy refuses, and for no others', async () => {
    const hosts = visible.map((character) => `a${character}b`).filter((host) => !host.includes('*'));
    for (const host of hosts) {
      const status = await gates.sendRaw('NONE', `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect([host, isImpossible({ to: [{ operation: { hosts: [host] } }] })]).toEqual([host, status === 400]);
    }
  });

  test('for the names of headers that Envoy refuses or takes off, and for no others', async () => {
    // With a colon the name ends there.
    const names = visible.map((character) => `x${character}y`).filter((name) => name !== 'x:y');
    for (const name of names) {
      const status = await gates.sendRaw('NONE', `GET / HTTP/1.1\r\nHost: a\r\n${name}: v\r\n\r\n`);
      const isRefused = status === 400;
      expect([name, isImpossible({ when: [{ key: `request.headers[${name}]`, values: ['v'] }] })]).toEqual([
        name,
        isRefused,
      ]);
    }
    for (const name of ['keep-alive', 'proxy-connection', 'te', 'proxy-authorization']) {
      const { seen } = await gates.send('NONE', { headers: [[name, 'trailers']] });
      const isGone = seen?.headers[name] === undefined;
      expect([name, isImpossible({ when: [{ key: `request.headers[${name}]`, values: ['v'] }] })]).toEqual([
        name,
        isGone,
      ]);
    }
  });
});
