import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RoutedRequest } from '../lower/testing/outbound-gate.ts';
import { at, httpRouteCases } from './testing/http-route-cases.ts';
import { type Gate, httpRouteObjects } from './testing/http-route-objects.ts';
import { type StandardGates, startStandardGates } from './testing/standard-gates.ts';

let gates: StandardGates;

beforeAll(async () => {
  gates = await startStandardGates(httpRouteObjects);
});

afterAll(() => gates?.close());

/** The application that answered, else the status. */
async function reached(gate: Gate, request: RoutedRequest, port?: number): Promise<string | number> {
  const { seen, status } = await gates.send(gate, request, port);
  return seen === undefined ? status : (seen.backend.split('.')[0] ?? '');
}

describe('an HTTPRoute', () => {
  test.each(httpRouteCases.map(([gate, answer, request, port = 80]) => ({ gate, answer, request, port })))(
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
