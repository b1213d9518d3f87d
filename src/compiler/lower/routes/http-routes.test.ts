import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { HttpMatch, HttpRoute } from '../../../policy/virtual-service.ts';
import { virtualService } from '../../../testing/objects.ts';
import { effectiveOutbound, meshService } from '../../../testing/topology.ts';
import type { RouteIR } from '../../ir/route.ts';
import { Destinations } from './destinations.ts';
import { httpRoutes } from './http-routes.ts';
import type { RouteContext } from './route-context.ts';

const reviews = effectiveOutbound(meshService('a/reviews'), {}, { subsets: { v1: {}, v2: {} } });
const sidecar: RouteContext = {
  gateway: 'mesh',
  listenPort: 8000,
  client: { namespace: 'a', labels: { app: 'web' } },
  destinations: new Destinations([reviews], 'shop'),
  settings: defaultSettings,
};
const edge: RouteContext = { ...sidecar, gateway: 'a/edge', client: { namespace: 'gateways', labels: {} } };

/** Routes of an object of namespace `a`. */
function lowered(http: readonly HttpRoute[], context: RouteContext = sidecar): readonly RouteIR[] {
  const object = virtualService('a/reviews', { hosts: ['reviews'], http });
  const blocks = http.map((route, i) => ({ route, owner: object, path: ['spec', 'http', i] }));
  return httpRoutes({ ...object, blocks }, context, new DiagnosticBag());
}

const route = [{ destination: { host: 'reviews' } }];

describe('httpRoutes', () => {
  test.each<[string, HttpMatch, boolean, boolean]>([
    ['without conditions on the client', {}, true, true],
    ['for the client by label', { sourceLabels: { app: 'web' } }, true, false],
    ['for others by label', { sourceLabels: { app: 'other' } }, false, false],
    ['for the client by namespace', { sourceNamespace: 'a' }, true, false],
    ['for others by namespace', { sourceNamespace: 'b' }, false, false],
    ['for this port', { port: 8000 }, true, true],
    ['for another port', { port: 8001 }, false, false],
    ['for sidecars', { gateways: ['mesh'] }, true, false],
    ['for other sidecars', { gateways: ['mesh'], sourceLabels: { app: 'other' } }, false, false],
    // Case 95: whoever calls a gateway has no labels.
    ['for the gateway, with labels', { gateways: ['edge'], sourceLabels: { app: 'web' } }, false, true],
    ['for the gateway by its whole name', { gateways: ['a/edge'] }, false, true],
    ['for the gateway of its namespace', { gateways: ['./edge'] }, false, true],
    ['for the gateway by its older name', { gateways: ['edge.a.svc.cluster.local'] }, false, true],
    ['for a namesake of the gateway', { gateways: ['b/edge'] }, false, false],
    ['for both', { gateways: ['mesh', 'edge'] }, true, true],
  ])('has a match %s', (_, match, isForSidecar, isForEdge) => {
    const count = (context: RouteContext): number => lowered([{ match: [match], route }], context).length;
    expect([count(sidecar) === 1, count(edge) === 1]).toEqual([isForSidecar, isForEdge]);
  });

  test.each<[string, HttpMatch]>([
    ['no condition', {}],
    ['the root as prefix', { uri: { prefix: '/' } }],
    ['an empty prefix', { uri: { prefix: '' } }],
    ['the older star', { uri: { regex: '*' } }],
    ['any text', { uri: { regex: '.*' }, ignoreUriCase: true }],
  ])('ends at a match with %s', (_, match) => {
    const names = lowered([
      { name: 'a', match: [{ name: '1', uri: { exact: '/a' } }, { name: '2', ...match }, { name: '3' }], route },
      { name: 'b', route },
    ]).map(({ name }) => name);
    expect(names).toEqual(['a.1', 'a.2']);
  });

  test.each<[string, HttpMatch]>([
    ['a method', { method: { exact: 'GET' } }],
    ['a header', { headers: { x: {} } }],
    ['an absent header', { withoutHeaders: { x: {} } }],
    ['a parameter', { queryParams: { x: {} } }],
    ['a host', { authority: { prefix: 'a' } }],
    ['a scheme', { scheme: { exact: 'http' } }],
    ['a path', { uri: { prefix: '/a' } }],
  ])('goes on behind a match with %s', (_, match) => {
    expect(lowered([{ match: [match], route }, { route }])).toHaveLength(2);
  });

  test('escapes text from which it makes a regular expression', () => {
    const [one] = lowered([
      { match: [{ authority: { exact: 'a.b+c' }, uri: { prefix: '/x.(y' } }], rewrite: { uri: '/\\1' }, route },
    ]);
    expect(one?.match.headers).toEqual([
      { name: ':authority', match: { kind: 'regex', value: '(?i)a\\.b\\+c(?::[0-9]+)?' } },
    ]);
    expect(one?.action).toMatchObject({
      rewrite: { kind: 'regex', pattern: '^/x\\.\\(y(.*)$', substitution: '/\\\\1\\1' },
    });
  });

  test.each([
    ['authority', { authority: { prefix: 'pub' } }],
    ['Host', { headers: { Host: { prefix: 'pub' } } }],
    [':authority', { headers: { ':authority': { prefix: 'pub' } } }],
  ])('compares the prefix of a host in any case: %s', (_, match) => {
    const expected = [{ name: ':authority', match: { kind: 'prefix', value: 'pub', ignoreCase: true } }];
    expect(lowered([{ match: [match], route }])[0]?.match.headers).toEqual(expected);
  });

  test.each<[string, HttpRoute['retries'], object | undefined]>([
    [
      'by default',
      undefined,
      { attempts: 2, retryOn: ['connect-failure', 'refused-stream', 'unavailable', 'cancelled'] },
    ],
    ['none at all', { attempts: 0 }, undefined],
    [
      'on statuses',
      { attempts: 1, retryOn: '503,reset' },
      { retryOn: ['reset', 'retriable-status-codes'], statuses: [503] },
    ],
    ['elsewhere', { attempts: 1, retryRemoteLocalities: true }, { triesOtherLocalities: true }],
    ['anywhere', { attempts: 1, retryIgnorePreviousHosts: false }, { avoidPreviousHosts: false }],
    ['without a number', { perTryTimeout: '1s' }, { attempts: 2, perTryTimeoutMs: 1000 }],
  ])('retries %s', (_, retries, expected) => {
    const [one] = lowered([{ ...(retries && { retries }), route }]);
    const retry = one?.action.kind === 'cluster' ? one.action.retry : undefined;
    if (expected === undefined) expect(retry).toBeUndefined();
    else expect(retry).toMatchObject(expected);
  });

  test.each<[HttpRoute['redirect'] & object, object]>([
    [{ uri: '/a' }, { status: 301, path: '/a' }],
    [
      { authority: 'x', derivePort: 'FROM_REQUEST_PORT', redirectCode: 307 },
      { status: 307, host: 'x', port: 8000 },
    ],
    [
      { scheme: 'https', derivePort: 'FROM_PROTOCOL_DEFAULT' },
      { status: 301, scheme: 'https' },
    ],
    [
      { port: 81, redirectCode: 303 },
      { status: 303, port: 81 },
    ],
  ])('redirects by %o', (redirect, expected) => {
    expect(lowered([{ redirect }])[0]?.action).toEqual({ kind: 'redirect', ...expected });
  });

  test.each<[string, readonly (number | undefined)[], readonly string[]]>([
    ['a single destination, whatever its weight', [0], ['cluster v1']],
    ['the only one with a weight', [0, 100], ['cluster v2']],
    ['all with a weight', [3, 1], ['v1 3', 'v2 1']],
    ['those with a weight where one has none', [undefined, 1], ['cluster v2']],
  ])('sends requests to %s', (_, weights, expected) => {
    const shares = weights.map((weight, i) => {
      const destination = { host: 'reviews', subset: `v${i + 1}` };
      return { destination, ...(weight === undefined ? {} : { weight }) };
    });
    const action = lowered([{ route: shares }])[0]?.action;
    const subset = (cluster: string): string => cluster.split('|')[2] ?? '';
    expect(
      action?.kind === 'weighted-clusters'
        ? action.clusters.map(({ cluster, weight }) => `${subset(cluster)} ${weight}`)
        : action?.kind === 'cluster' && [`cluster ${subset(action.cluster)}`],
    ).toEqual(expected);
  });

  test('says who decided a route', () => {
    const [, second] = lowered([{ match: [{ uri: { exact: '/a' } }], route }, { route }]);
    const [origin] = second?.origins.decidedBy ?? [];
    expect([origin?.kind, origin?.name, origin?.field]).toEqual(['VirtualService', 'reviews', ['spec', 'http', 1]]);
  });
});
