import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OutboundGates, type RoutedRequest, startOutboundGates } from '../testing/outbound-gate.ts';
import { path, ratings, routes, to, v1 } from './testing/routed-policies.ts';

/** Requests that match go to ratings, all others to the first version. */
const matching = (match: string): string => routes(`[{match: [${match}], ${ratings}}, {${v1}}]`);

const policies = {
  exact: matching('{uri: {exact: /a}}'),
  prefix: matching('{uri: {prefix: /a}}'),
  regex: matching('{uri: {regex: "/a[0-9]+"}}'),
  'any case': matching('{uri: {prefix: /Api}, ignoreUriCase: true}'),
  method: matching('{method: {exact: POST}}'),
  authority: matching('{authority: {exact: Reviews.Example}}'),
  header: matching('{headers: {X-User: {exact: jason}}}'),
  'header prefix': matching('{headers: {x-user: {prefix: ja}}}'),
  'header expression': matching('{headers: {x-user: {regex: "ja.*n"}}}'),
  'header present': matching('{headers: {x-user: {}}}'),
  'header absent': matching('{withoutHeaders: {x-user: {}}}'),
  'header other': matching('{withoutHeaders: {x-user: {exact: jason}}}'),
  query: matching('{queryParams: {page: {exact: "1"}}}'),
  'query present': matching('{queryParams: {page: {}}}'),
  both: matching('{uri: {prefix: /a}, headers: {x-user: {exact: jason}}}'),
  either: matching('{uri: {prefix: /a}}, {headers: {x-user: {exact: jason}}}'),
  'no rest': routes(`[{match: [{uri: {prefix: /a}}], ${ratings}}]`),
  'middle catch-all': routes(
    `[{match: [{uri: {exact: /a}}], ${ratings}}, {${v1}}, {match: [{uri: {exact: /b}}], ${ratings}}]`,
  ),
  delegate: `${routes(`[{match: [{uri: {prefix: /team}}], headers: {request: {set: {x-root: "1"}}},
    delegate: {name: team}}, {${v1}}]`)}---
apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: team, namespace: a}
spec:
  http: [{match: [{uri: {prefix: /team/a}}], ${ratings}}, {match: [{uri: {prefix: /other}}], ${ratings}},
    {match: [{headers: {x-user: {exact: jason}}}], ${to('reviews', 'v2')}}]
`,
};

type Gate = keyof typeof policies;

let gates: OutboundGates;

beforeAll(async () => {
  gates = await startOutboundGates(policies, { virtualServiceDelegates: true });
});

afterAll(() => gates?.close());

const send = (gate: Gate, request?: RoutedRequest) => gates.send(gate, request);

const user = (name: string): RoutedRequest => ({ headers: { 'x-user': name } });

describe('a match', () => {
  test.each<[Gate, boolean, RoutedRequest]>([
    ['exact', true, path('/a')],
    ['exact', true, path('/a?x=1')],
    ['exact', true, path('//a')],
    ['exact', false, path('/a/')],
    ['exact', false, path('/A')],
    ['prefix', true, path('/a')],
    ['prefix', true, path('/ab')],
    ['prefix', true, path('/x/../a')],
    ['prefix', false, path('/b?a=/a')],
    ['regex', true, path('/a12')],
    ['regex', false, path('/a12/b')],
    ['any case', true, path('/aPI/x')],
    ['method', true, { method: 'POST' }],
    ['method', false, { method: 'GET' }],
    ['authority', true, { host: 'reviews.example' }],
    ['authority', true, { host: 'REVIEWS.example:80' }],
    ['authority', true, { host: 'reviews.example.' }],
    ['header', true, user('jason')],
    ['header', false, user('jasons')],
    ['header', false, {}],
    ['header prefix', true, user('jack')],
    ['header expression', true, user('jaan')],
    ['header expression', false, user('jaans')],
    ['header present', true, user('anybody')],
    ['header present', false, {}],
    ['header absent', true, {}],
    ['header absent', false, user('anybody')],
    ['header other', true, {}],
    ['header other', true, user('other')],
    ['header other', false, user('jason')],
    ['query', true, path('/?page=1')],
    ['query', true, path('/?page=1&page=2')],
    ['query', false, path('/?page=2&page=1')],
    ['query', false, path('/?page=11')],
    ['query present', true, path('/?page')],
    ['both', true, { path: '/a', ...user('jason') }],
    ['both', false, path('/a')],
    ['either', true, user('jason')],
    ['either', true, path('/a')],
    ['either', false, path('/b')],
    ['middle catch-all', true, path('/a')],
    ['middle catch-all', false, path('/b')],
  ])('by %s holds: %s, of %o', async (gate, holds, request) => {
    expect((await send(gate, request)).seen?.backend).toBe(holds ? 'ratings' : 'v1');
  });

  test('that no route has is answered 404', async () => {
    expect((await send('no rest', path('/b'))).status).toBe(404);
  });
});

describe('a delegate', () => {
  test.each<[RoutedRequest, string, string | undefined]>([
    [path('/team/a'), 'ratings', '1'],
    [{ path: '/team', ...user('jason') }, 'v2', '1'],
    [path('/other'), 'v1', undefined],
    [path('/team/b'), 'v1', undefined],
  ])('decides in %o: %s', async (request, backend, root) => {
    const { seen } = await send('delegate', request);
    expect([seen?.backend, seen?.headers['x-root']]).toEqual([backend, root]);
  });
});
