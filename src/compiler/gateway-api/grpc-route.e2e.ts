import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StandardGates, startStandardGates } from './testing/standard-gates.ts';
import { gateway, grant, listener, route, to } from './testing/standard-objects.ts';

const open = gateway(listener('http'));
const calls = { kind: 'GRPCRoute' } as const;
/** Says in a header which rule took a call. */
const marked = (mark: string, more = ''): string =>
  `{${more}filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-rule, value: ${mark}}]}}], ${to('calls')}}`;
const method = (fields: string): string => `matches: [{method: {${fields}}}], `;

/** Objects by what is tried of the standard. */
const objects = {
  names:
    open +
    route(
      'infra/names',
      [
        marked('service', method('service: shop.Cart')),
        marked('both', method('service: shop.Cart, method: Add')),
        marked('method', method('method: Ping')),
        marked('expression', method('type: RegularExpression, service: "shop[.](Stock|Store)", method: "Get.*"')),
      ],
      calls,
    ),
  headers:
    open +
    route(
      'infra/headers',
      [
        marked('one', 'matches: [{headers: [{name: version, value: one}]}], '),
        marked('two', 'matches: [{method: {service: shop.Cart}, headers: [{name: version, value: one}]}], '),
        marked('three', 'matches: [{headers: [{name: version, type: RegularExpression, value: "t.*"}]}], '),
      ],
      calls,
    ),
  'host names':
    gateway(listener('exact', ', hostname: calls.example'), listener('wild', ', hostname: "*.example.org"')) +
    route('infra/exact', [marked('exact')], { ...calls, parent: ', sectionName: exact' }) +
    route('infra/wild', [marked('wild')], { ...calls, hostnames: ['a.example.org', 'b.example.com'] }),
  weights: open + route('infra/weights', [`{${to('calls', ['gone', 0])}}`], calls),
  'unusable backends':
    open +
    route(
      'infra/unusable',
      [`{${method('service: shop.Gone')}${to('gone')}}`, `{${method('service: shop.None')}}`, `{${to('web/app')}}`],
      calls,
    ) +
    grant('infra'),
  'kinds of one host':
    open +
    route('infra/calls', [marked('calls')], { ...calls, month: 1 }) +
    route('infra/requests', [`{${to('v1')}}`], { month: 2 }),
} as const;

let gates: StandardGates;

beforeAll(async () => {
  gates = await startStandardGates(objects);
});

afterAll(() => gates?.close());

const [ok, unimplemented, unavailable] = [0, 12, 14];

describe('a GRPCRoute', () => {
  test.each([
    ['names', '/shop.Cart/Add', {}, 'both'],
    ['names', '/shop.Cart/AddAll', {}, 'service'],
    ['names', '/shop.Carts/Add', {}, unimplemented],
    ['names', '/shop.cart/Add', {}, unimplemented],
    ['names', '/any.Service/Ping', {}, 'method'],
    ['names', '/shop.Cart/Ping', {}, 'service'],
    ['names', '/shop.Stock/GetAll', {}, 'expression'],
    ['names', '/shop.Stocks/GetAll', {}, unimplemented],
    ['names', '/shop.Stock/Forget', {}, unimplemented],
    ['headers', '/any.Service/Any', { headers: { version: 'one' } }, 'one'],
    ['headers', '/shop.Cart/Any', { headers: { version: 'one' } }, 'two'],
    ['headers', '/shop.Cart/Any', { headers: { version: 'two' } }, 'three'],
    ['headers', '/shop.Cart/Any', {}, unimplemented],
    ['host names', '/a.B/C', {}, 'exact'],
    ['host names', '/a.B/C', { host: 'a.example.org' }, 'wild'],
    ['host names', '/a.B/C', { host: 'b.example.org' }, unimplemented],
    ['host names', '/a.B/C', { host: 'b.example.com' }, unimplemented],
    ['weights', '/a.B/C', {}, ok],
    ['unusable backends', '/shop.Gone/Any', {}, unavailable],
    ['unusable backends', '/shop.None/Any', {}, unavailable],
    // The grant is for HTTPRoutes.
    ['unusable backends', '/shop.Other/Any', {}, unavailable],
    ['kinds of one host', '/a.B/C', {}, 'calls'],
  ] as const)('of the objects "%s" ends a call of %s %j with %s', async (name, path, options, expected) => {
    const { code, seen } = await gates.call(name, path, options);
    expect([code, seen?.[':path']]).toEqual(
      typeof expected === 'number' && expected !== ok ? [expected, undefined] : [ok, path],
    );
    if (typeof expected === 'string') expect(seen?.['x-rule']).toBe(expected);
  });

  test('keeps a newer HTTPRoute away from its host', async () => {
    const { status, seen } = await gates.send('kinds of one host', { path: '/' });
    expect([status, seen?.backend]).not.toContain('v1.infra');
  });
});
