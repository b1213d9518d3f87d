import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { HttpMatch, HttpRoute, VirtualService } from '../../policy/virtual-service.ts';
import { virtualService } from '../../testing/objects.ts';
import { mergeMatches } from './delegate-match.ts';
import { withDelegates } from './delegation.ts';

const on = { ...defaultSettings, virtualServiceDelegates: true };
const route = [{ destination: { host: 'reviews' } }];
const root = (...http: HttpRoute[]): VirtualService => virtualService('a/root', { hosts: ['reviews'], http });
const delegate = (name: string, http: HttpRoute[], exportTo?: string[]): VirtualService =>
  virtualService(name, { http, ...(exportTo === undefined ? {} : { exportTo }) });

function merged(services: readonly VirtualService[], settings = on) {
  const bag = new DiagnosticBag();
  const whole = withDelegates(services, settings, bag);
  return { whole, routes: whole.flatMap(({ blocks }) => blocks), codes: bag.all.map(({ code }) => code) };
}

describe('withDelegates', () => {
  test('puts the routes of a delegate where it is named', () => {
    const { routes, codes } = merged([
      root(
        { name: 'first', route },
        { name: 'r', delegate: { name: 'team', namespace: 'b' } },
        { name: 'last', route },
      ),
      delegate('b/team', [{ name: 'd', route }, { route }]),
    ]);
    expect(routes.map(({ route: { name }, owner }) => `${owner.namespace}/${owner.name} ${name}`)).toEqual([
      'a/root first',
      'b/team r-d',
      'b/team r',
      'a/root last',
    ]);
    expect(codes).toEqual([]);
  });

  test('lets a delegate have what it says, and else what the root says', () => {
    const { routes } = merged([
      root({
        delegate: { name: 'team', namespace: 'b' },
        timeout: '1s',
        mirror: { host: 'ratings' },
        headers: { request: { remove: ['x'] } },
      }),
      delegate('b/team', [{ timeout: '2s', route }]),
    ]);
    expect(routes[0]?.route).toEqual({
      timeout: '2s',
      // Of the root's namespace, not of the delegate's.
      mirror: { host: 'ratings.a.svc.cluster.local' },
      headers: { request: { remove: ['x'] } },
      route,
    });
  });

  test('ignores who delegates while the variable is off, and names it', () => {
    const other = virtualService('a/other', { hosts: ['x'], http: [{ route }] });
    const services = [root({ delegate: { name: 'team' } }, { route }), delegate('a/team', [{ route }]), other];
    const { whole, codes } = merged(services, defaultSettings);
    expect(whole.map(({ name }) => name)).toEqual(['other']);
    expect(codes).toEqual(['delegation-switched-off']);
  });

  test.each<[string, VirtualService[], string[]]>([
    ['is missing', [], ['unknown-delegate']],
    ['has hosts', [virtualService('a/team', { hosts: ['x'], http: [{ route }] })], ['unknown-delegate']],
    ['is of another namespace', [delegate('b/team', [{ route }])], ['unknown-delegate', 'delegate-without-root']],
    ['is not exported', [delegate('a/team', [{ route }], ['b'])], ['unknown-delegate']],
  ])('leaves out the route whose delegate %s', (_, services, expected) => {
    const { routes, codes } = merged([root({ delegate: { name: 'team' } }, { name: 'rest', route }), ...services]);
    expect(routes.find(({ owner }) => owner.name === 'root')?.route.name).toBe('rest');
    expect(codes).toEqual(expected);
  });

  test('gives the identical object for the same objects', () => {
    const services = [root({ delegate: { name: 'team' } }), delegate('a/team', [{ route }])];
    const plain = virtualService('a/plain', { hosts: ['x'], http: [{ route }] });
    const [first, second] = [merged([...services, plain]), merged([...services, plain])];
    expect(first.whole.every((one, i) => one === second.whole[i])).toBe(true);
    const changed = merged([services[0] as VirtualService, delegate('a/team', [{ route }])]);
    expect(changed.whole[0]).not.toBe(first.whole[0]);
  });
});

describe('mergeMatches', () => {
  const exact = (text: string): HttpMatch => ({ uri: { exact: text } });
  const prefix = (text: string): HttpMatch => ({ uri: { prefix: text } });
  const regex: HttpMatch = { uri: { regex: '/a.*' } };
  const header = (text: string): HttpMatch => ({ headers: { x: { exact: text } } });

  test.each<[string, HttpMatch, HttpMatch, HttpMatch | 'conflict']>([
    ['the same path', exact('/a'), exact('/a'), exact('/a')],
    ['another path', exact('/a'), exact('/b'), 'conflict'],
    ['a prefix under a path', exact('/a'), prefix('/a'), 'conflict'],
    ['a path under a prefix', prefix('/a'), exact('/a/b'), exact('/a/b')],
    ['a longer prefix', prefix('/a'), prefix('/ab'), prefix('/ab')],
    ['a shorter prefix', prefix('/ab'), prefix('/a'), 'conflict'],
    ['an expression of the root', regex, exact('/a'), 'conflict'],
    ['an expression of the delegate', prefix('/a'), regex, 'conflict'],
    ['an expression alone', regex, header('1'), { ...regex, ...header('1') }],
    ['presence, narrowed', { headers: { x: {} } }, header('1'), header('1')],
    ['another header value', header('1'), header('2'), 'conflict'],
    ['headers of both', header('1'), { headers: { y: {} } }, { headers: { x: { exact: '1' }, y: {} } }],
    ['the same port', { port: 80 }, { port: 80 }, { port: 80 }],
    ['another port', { port: 80 }, { port: 81 }, 'conflict'],
    ['other case', { ignoreUriCase: true }, prefix('/a'), 'conflict'],
    ['whose requests', { sourceLabels: { a: 'b' } }, exact('/a'), { sourceLabels: { a: 'b' }, ...exact('/a') }],
  ])('of %s', (_, rootMatch, leaf, expected) => {
    const result = mergeMatches([rootMatch], [leaf]);
    expect(result).toEqual(expected === 'conflict' ? { conflicting: 0 } : { merged: [expected] });
  });

  test('pairs each match of the delegate with each that it is within', () => {
    const result = mergeMatches([prefix('/a'), prefix('/'), exact('/x')], [exact('/a'), exact('/b')]);
    expect(result).toEqual({ merged: [exact('/a'), exact('/a'), exact('/b')] });
    expect(mergeMatches([exact('/x')], [exact('/x'), exact('/b')])).toEqual({ conflicting: 1 });
  });

  test('of one side alone is that side', () => {
    expect(mergeMatches([], [exact('/a')])).toEqual({ merged: [exact('/a')] });
    expect(mergeMatches([exact('/a')], [])).toEqual({ merged: [exact('/a')] });
  });
});
