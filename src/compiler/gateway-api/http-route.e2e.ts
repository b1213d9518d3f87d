import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RoutedRequest } from '../lower/testing/outbound-gate.ts';
import { type StandardGates, startStandardGates } from './testing/standard-gates.ts';
import { gateway, grant, listener, route, to } from './testing/standard-objects.ts';

const all = ', allowedRoutes: {namespaces: {from: All}}';
const open = gateway(listener('http', all));
const exact = (path: string): string => `{path: {type: Exact, value: ${path}}}`;
const prefix = (path: string): string => `{path: {type: PathPrefix, value: ${path}}}`;
const header = (name: string, value: string): string => `{name: ${name}, value: ${value}}`;

/** Objects by what is tried of the standard. */
const objects = {
  simple: open + route('infra/simple', [`{${to('v1')}}`]),
  'exact paths':
    open +
    route('infra/exact', [
      `{matches: [${exact('/one')}], ${to('v1')}}`,
      `{matches: [${exact('/two')}], ${to('v2')}}`,
      `{matches: [${exact('/Two')}], ${to('v3')}}`,
    ]),
  'order of paths':
    open +
    route('infra/order', [
      `{matches: [${prefix('/match')}], ${to('v1')}}`,
      `{matches: [${prefix('/match/prefix/one/')}], ${to('v2')}}`,
      `{matches: [${exact('/match/exact')}], ${to('v3')}}`,
      `{matches: [${prefix('/match/exact')}], ${to('v2')}}`,
      `{matches: [{path: {type: RegularExpression, value: "/other/[0-9]+"}}], ${to('v3')}}`,
    ]),
  headers:
    open +
    route('infra/headers', [
      `{matches: [{headers: [${header('version', 'one')}]}], ${to('v1')}}`,
      `{matches: [{headers: [${header('version', 'two')}]}], ${to('v2')}}`,
      `{matches: [{headers: [${header('version', 'two')}, ${header('Color', 'orange')}]}], ${to('v1')}}`,
      `{matches: [{headers: [${header('color', 'blue')}]}, {headers: [${header('color', 'green')}]}], ${to('v1')}}`,
      `{matches: [{headers: [{type: RegularExpression, name: color, value: "(red|yellow)"}]}], ${to('v2')}}`,
    ]),
  'methods and parameters':
    open +
    route('infra/more', [
      `{matches: [{method: POST}], ${to('v1')}}`,
      `{matches: [{queryParams: [${header('animal', 'whale')}]}], ${to('v2')}}`,
      `{matches: [{queryParams: [${header('animal', 'whale')}, ${header('color', 'blue')}]}], ${to('v3')}}`,
      `{matches: [{method: PUT, headers: [${header('version', 'one')}]}, ${prefix('/put')}], ${to('v3')}}`,
    ]),
  'matches across routes':
    open +
    route('infra/first', [`{matches: [${prefix('/')}, {headers: [${header('version', 'one')}]}], ${to('v1')}}`], {
      hostnames: ['example.com', 'example.net'],
      month: 1,
    }) +
    route('infra/second', [`{matches: [${prefix('/v2')}, {headers: [${header('version', 'two')}]}], ${to('v2')}}`], {
      hostnames: ['example.com'],
      month: 2,
    }),
  'age and name':
    open +
    route('infra/b-older', [`{matches: [${prefix('/age')}], ${to('v1')}}`], { month: 1 }) +
    route('infra/a-newer', [`{matches: [${prefix('/age')}, ${prefix('/name')}], ${to('v2')}}`], { month: 2 }) +
    route('infra/c-newer', [`{matches: [${prefix('/name')}], ${to('v3')}}`], { month: 2 }),
  'host names of routes':
    gateway(listener('http', ', hostname: "*.wild.org"')) +
    route('infra/exact', [`{matches: [${prefix('/s1')}], ${to('v1')}}`], {
      hostnames: ['very.specific.com', 'non.matching.com', 'one.wild.org', 'wild.org'],
    }) +
    route('infra/wild', [`{matches: [${prefix('/s2')}], ${to('v2')}}`], { hostnames: ['*.two.wild.org', '*.org'] }),
  'host names of listeners':
    gateway(
      listener('exact', ', hostname: bar.com'),
      listener('within', ', hostname: foo.bar.com'),
      listener('wild', ', hostname: "*.bar.com"'),
      listener('wilder', ', hostname: "*.foo.com"'),
    ) +
    route('infra/one', [`{${to('v1')}}`], { parent: ', sectionName: exact' }) +
    route('infra/two', [`{matches: [${prefix('/two')}], ${to('v2')}}`], { parent: ', sectionName: within' }) +
    route('infra/three', [`{${to('v3')}}`], { parent: ', sectionName: wild' }) +
    route('infra/four', [`{${to('v3')}}`], { parent: ', sectionName: wilder' }),
  'listener isolation':
    gateway(
      listener('any'),
      listener('wild', ', hostname: "*.example.com"'),
      listener('wilder', ', hostname: "*.foo.example.com"'),
      listener('exact', ', hostname: abc.foo.example.com'),
    ) +
    ['any', 'wild', 'wilder', 'exact']
      .map((name) =>
        route(`infra/${name}`, [`{matches: [${prefix(`/${name}`)}], ${to('v1')}}`], {
          parent: `, sectionName: ${name}`,
          hostnames: ['bar.com', '*.example.com', '*.foo.example.com', 'abc.foo.example.com'],
        }),
      )
      .join(''),
  'ports and namespaces':
    gateway(
      listener('same'),
      '{name: selected, port: 8080, protocol: HTTP, allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {team: web}}}}}',
    ) +
    route('infra/same', [`{${to('v1')}}`]) +
    route('web/other', [`{${to('web/app')}}`]),
  'one port alone':
    gateway(listener('first'), '{name: second, port: 8080, protocol: HTTP}') +
    route('infra/port', [`{${to('v1')}}`], { parent: ', port: 8080' }) +
    route('infra/rest', [`{${to('v2')}}`], { parent: ', sectionName: first' }),
  'no such section': gateway(listener('http')) + route('infra/lost', [`{${to('v1')}}`], { parent: ', sectionName: x' }),
  'no grant': open + route('infra/reference', [`{matches: [${prefix('/v2')}], ${to('web/app')}}`, `{${to('v1')}}`]),
  'a grant': open + route('infra/reference', [`{${to('web/app')}}`]) + grant('infra'),
  'a grant for others': open + route('infra/reference', [`{${to('web/app')}}`]) + grant('elsewhere'),
  'a grant for another Service':
    open + route('infra/reference', [`{${to('web/app')}}`]) + grant('infra', '{group: "", kind: Service, name: other}'),
  'unusable backends':
    open +
    route('infra/unusable', [
      `{matches: [${exact('/gone')}], ${to('gone')}}`,
      `{matches: [${exact('/kind')}], backendRefs: [{group: example.com, kind: Bucket, name: v1}]}`,
      `{matches: [${exact('/port')}], backendRefs: [{name: v1, port: 9}]}`,
      `{matches: [${exact('/none')}]}`,
      `{matches: [${exact('/zero')}], ${to(['v1', 0])}}`,
      `{matches: [${exact('/half')}], ${to('v1', 'gone')}}`,
    ]),
  weights: open + route('infra/weights', [`{${to(['v1', 70], ['v2', 30], ['v3', 0])}}`]),
  redirects:
    open +
    route('infra/redirects', [
      `{matches: [${prefix('/host')}], filters: [{type: RequestRedirect, requestRedirect: {hostname: example.org}}]}`,
      `{matches: [${prefix('/status')}], filters: [{type: RequestRedirect, requestRedirect: {hostname: example.org, statusCode: 301}}]}`,
      `{matches: [${prefix('/scheme')}], filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]}`,
      `{matches: [${prefix('/port')}], filters: [{type: RequestRedirect, requestRedirect: {port: 8443, scheme: https, statusCode: 308}}]}`,
    ]),
  'changed headers':
    open +
    route('infra/set', [
      `{matches: [${exact('/set')}], filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [${header('X-Set', '"100%"')}]}}], ${to('v1')}}`,
      `{matches: [${exact('/add')}], filters: [{type: RequestHeaderModifier, requestHeaderModifier: {add: [${header('x-add', 'more')}]}}], ${to('v1')}}`,
      `{matches: [${exact('/remove')}], filters: [{type: RequestHeaderModifier, requestHeaderModifier: {remove: [X-Remove]}}], ${to('v1')}}`,
      `{matches: [${exact('/answer')}], filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [${header('x-set', 'new')}], remove: [x-debug]}}], ${to('v1')}}`,
      `{matches: [${exact('/backend')}], backendRefs: [{name: v1, port: 8080, filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [${header('x-set', 'v1')}]}}]}]}`,
    ]),
  rewrites:
    open +
    route('infra/rewrites', [
      `{matches: [${prefix('/prefix/one')}], filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /one}}}], ${to('v1')}}`,
      `{matches: [${prefix('/strip')}], filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /}}}], ${to('v1')}}`,
      `{matches: [${prefix('/full')}], filters: [{type: URLRewrite, urlRewrite: {hostname: one.example.org, path: {type: ReplaceFullPath, replaceFullPath: /one}}}], ${to('v1')}}`,
      `{filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /root}}}], ${to('v1')}}`,
    ]),
  mirrors:
    open +
    route('infra/mirrors', [
      `{filters: [{type: RequestMirror, requestMirror: {backendRef: {name: v2, port: 8080}}}, {type: RequestMirror, requestMirror: {backendRef: {name: v3, port: 8080}}}], ${to('v1')}}`,
    ]),
  timeouts:
    open +
    route('infra/timeouts', [
      `{matches: [${prefix('/request')}], timeouts: {request: 150ms}, ${to('v1')}}`,
      `{matches: [${prefix('/never')}], timeouts: {request: 0s}, ${to('v1')}}`,
    ]),
} as const;

type Gate = keyof typeof objects;

let gates: StandardGates;

beforeAll(async () => {
  gates = await startStandardGates(objects);
});

afterAll(() => gates?.close());

/** The application that answered, else the status. */
async function reached(gate: Gate, request: RoutedRequest, port?: number): Promise<string | number> {
  const { seen, status } = await gates.send(gate, request, port);
  return seen === undefined ? status : (seen.backend.split('.')[0] ?? '');
}

const at = (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): RoutedRequest => {
  const [, host = '', path = '/'] = /^([^/]*)(\/.*)?$/.exec(url) ?? [];
  return { method, path, headers, ...(host === '' ? {} : { host }) };
};

type Case = readonly [gate: Gate, answer: string | number, request: RoutedRequest, port?: number];

const cases: readonly Case[] = [
  ['simple', 'v1', at('/')],
  ['simple', 'v1', at('any.host/any/path')],
  ['exact paths', 'v1', at('/one')],
  ['exact paths', 'v2', at('/two?x=y')],
  ['exact paths', 'v3', at('/Two')],
  ['exact paths', 404, at('/')],
  ['exact paths', 404, at('/one/example')],
  ['exact paths', 404, at('/two/')],
  ['order of paths', 'v3', at('/match/exact')],
  ['order of paths', 'v2', at('/match/exact/')],
  ['order of paths', 'v2', at('/match/exact/one')],
  ['order of paths', 'v1', at('/match/exactly')],
  ['order of paths', 'v1', at('/match')],
  ['order of paths', 'v1', at('/match/')],
  ['order of paths', 404, at('/matches')],
  ['order of paths', 'v2', at('/match/prefix/one')],
  ['order of paths', 'v2', at('/match/prefix/one/any')],
  ['order of paths', 'v1', at('/match/prefix/on')],
  ['order of paths', 'v3', at('/other/12')],
  ['order of paths', 404, at('/other/12/')],
  ['headers', 'v1', at('/', { version: 'one' })],
  ['headers', 'v2', at('/', { Version: 'two' })],
  ['headers', 'v1', at('/', { version: 'two', color: 'orange' })],
  ['headers', 'v1', at('/', { color: 'blue' })],
  ['headers', 'v1', at('/', { color: 'green' })],
  ['headers', 'v2', at('/', { color: 'yellow' })],
  ['headers', 404, at('/', { color: 'yellowish' })],
  ['headers', 404, at('/', { color: 'orange' })],
  ['headers', 404, at('/')],
  ['methods and parameters', 'v1', at('/', {}, 'POST')],
  ['methods and parameters', 404, at('/', {}, 'PUT')],
  ['methods and parameters', 'v2', at('/?animal=whale')],
  ['methods and parameters', 404, at('/?animal=whales')],
  ['methods and parameters', 'v3', at('/?animal=whale&color=blue')],
  ['methods and parameters', 'v1', at('/?animal=whale', {}, 'POST')],
  ['methods and parameters', 'v3', at('/', { version: 'one' }, 'PUT')],
  ['methods and parameters', 'v3', at('/put', {}, 'POST')],
  ['matches across routes', 'v1', at('example.com/')],
  ['matches across routes', 'v2', at('example.com/v2')],
  ['matches across routes', 'v2', at('example.com/', { version: 'two' })],
  ['matches across routes', 'v1', at('example.net/v2')],
  ['matches across routes', 404, at('example.org/')],
  ['age and name', 'v1', at('/age')],
  ['age and name', 'v2', at('/name')],
  ['host names of routes', 'v1', at('one.wild.org/s1')],
  ['host names of routes', 404, at('one.wild.org/s2')],
  ['host names of routes', 'v2', at('a.two.wild.org/s2')],
  ['host names of routes', 'v2', at('three.wild.org/s2')],
  ['host names of routes', 404, at('three.wild.org/s1')],
  ['host names of routes', 404, at('wild.org/s1')],
  ['host names of routes', 404, at('very.specific.com/s1')],
  ['host names of routes', 404, at('non.matching.com/s1')],
  ['host names of listeners', 'v1', at('bar.com')],
  ['host names of listeners', 'v2', at('foo.bar.com/two')],
  ['host names of listeners', 404, at('foo.bar.com/')],
  ['host names of listeners', 'v3', at('baz.bar.com')],
  ['host names of listeners', 'v3', at('a.b.bar.com')],
  ['host names of listeners', 'v3', at('boo.foo.com')],
  ['host names of listeners', 404, at('foo.com')],
  ['host names of listeners', 404, at('none.matching')],
  ['listener isolation', 'v1', at('bar.com/any')],
  ['listener isolation', 404, at('bar.com/wild')],
  ['listener isolation', 'v1', at('bar.example.com/wild')],
  ['listener isolation', 404, at('bar.example.com/any')],
  ['listener isolation', 'v1', at('bar.foo.example.com/wilder')],
  ['listener isolation', 404, at('bar.foo.example.com/wild')],
  ['listener isolation', 404, at('bar.foo.example.com/any')],
  ['listener isolation', 'v1', at('abc.foo.example.com/exact')],
  ['listener isolation', 404, at('abc.foo.example.com/wilder')],
  ['listener isolation', 404, at('abc.foo.example.com/any')],
  ['ports and namespaces', 'v1', at('/')],
  ['ports and namespaces', 'app', at('/'), 8080],
  ['one port alone', 'v2', at('/')],
  ['one port alone', 'v1', at('/'), 8080],
  ['no such section', 404, at('/')],
  ['no grant', 500, at('/v2')],
  ['no grant', 'v1', at('/')],
  ['a grant', 'app', at('/')],
  ['a grant for others', 500, at('/')],
  ['a grant for another Service', 500, at('/')],
  ['unusable backends', 500, at('/gone')],
  ['unusable backends', 500, at('/kind')],
  ['unusable backends', 500, at('/port')],
  ['unusable backends', 500, at('/none')],
  ['unusable backends', 500, at('/zero')],
];

describe('an HTTPRoute', () => {
  test.each(cases.map(([gate, answer, request, port = 80]) => ({ gate, answer, request, port })))(
    'of the objects "$gate" is answered by $answer at port $port: $request',
    async ({ gate, answer, request, port }) => {
      expect(await reached(gate, request, port)).toBe(answer);
    },
  );
});

describe('shares of an HTTPRoute', () => {
  /** How many of 500 requests each backend or status got. */
  const counts = async (gate: Gate, path: string): Promise<Readonly<Record<string, number>>> => {
    const answers = await Promise.all(Array.from({ length: 500 }, () => reached(gate, { path })));
    const found: Record<string, number> = {};
    for (const answer of answers) found[answer] = (found[answer] ?? 0) + 1;
    return found;
  };

  test('are those of the weights; a backend of weight 0 gets nothing', async () => {
    const { v1 = 0, v2 = 0, ...others } = await counts('weights', '/');
    expect(others).toEqual({});
    // Seven standard deviations.
    expect(v1).toBeGreaterThan(278);
    expect(v2).toBeGreaterThan(78);
  });

  test('of a backend that cannot be used are answered with 500', async () => {
    const { v1 = 0, 500: refused = 0, ...others } = await counts('unusable backends', '/half');
    expect(others).toEqual({});
    expect(v1).toBeGreaterThan(171);
    expect(refused).toBeGreaterThan(171);
  });
});

describe('a filter of an HTTPRoute', () => {
  test.each([
    ['/host/x?y=1', 302, 'http://example.org/host/x?y=1'],
    ['/status', 301, 'http://example.org/status'],
    ['/scheme', 302, 'https://shop.example/scheme'],
    ['/port', 308, 'https://shop.example:8443/port'],
  ])('redirects %s with %i to %s', async (path, status, location) => {
    const answer = await gates.send('redirects', { path, host: 'shop.example' });
    expect([answer.status, answer.headers.location]).toEqual([status, location]);
  });

  test.each([
    ['/set', { 'x-set': 'old' }, { 'x-set': '100%' }],
    ['/add', { 'x-add': 'some' }, { 'x-add': 'some, more' }],
    ['/remove', { 'x-remove': 'x', 'x-keep': 'y' }, { 'x-remove': undefined, 'x-keep': 'y' }],
    ['/backend', { 'x-set': 'old' }, { 'x-set': 'v1' }],
  ])('changes headers of a request for %s that has %j to %j', async (path, headers, expected) => {
    const { seen } = await gates.send('changed headers', { path, headers });
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, seen?.headers[name]]))).toEqual(expected);
  });

  test('changes headers of a response', async () => {
    const { headers } = await gates.send('changed headers', { path: '/answer' });
    expect([headers['x-set'], headers['x-debug']]).toEqual(['new', undefined]);
  });

  test.each([
    ['/prefix/one', '/one', 'reviews.example'],
    ['/prefix/one/two?q=1', '/one/two?q=1', 'reviews.example'],
    ['/strip', '/', 'reviews.example'],
    ['/strip/', '/', 'reviews.example'],
    ['/strip/two', '/two', 'reviews.example'],
    ['/full/any/path?q=1', '/one?q=1', 'one.example.org'],
    ['/full', '/one', 'one.example.org'],
    ['/else', '/root/else', 'reviews.example'],
  ])('rewrites %s to %s for host %s', async (path, url, host) => {
    const { seen } = await gates.send('rewrites', { path });
    expect([seen?.url, seen?.headers.host]).toEqual([url, host]);
  });

  test('sends copies of a request to every mirror', async () => {
    gates.received();
    expect(await reached('mirrors', at('/copied'))).toBe('v1');
    const seen = new Set<string>();
    await expect
      .poll(() => gates.received().reduce((all, { backend }) => all.add(backend), seen).size, { timeout: 60_000 })
      .toBe(3);
    expect([...seen].sort()).toEqual(['v1.infra', 'v2.infra', 'v3.infra']);
  });
});

describe('a timeout of an HTTPRoute', () => {
  test('answers 504 for a backend that takes longer', async () => {
    expect(await reached('timeouts', at('/request', { 'x-wait': '10000' }))).toBe(504);
  });

  test('of 0s is none', async () => {
    expect(await reached('timeouts', at('/never', { 'x-wait': '300' }))).toBe('v1');
  });
});
