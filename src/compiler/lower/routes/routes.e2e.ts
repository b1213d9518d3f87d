import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OutboundGates, type RoutedRequest, startOutboundGates } from '../testing/outbound-gate.ts';
import { policies } from './testing/gate-policies.ts';
import { path } from './testing/routed-policies.ts';

type Gate = keyof typeof policies;

let gates: OutboundGates;

beforeAll(async () => {
  gates = await startOutboundGates(policies);
});

afterAll(() => gates?.close());

const send = (gate: Gate, request?: RoutedRequest) => gates.send(gate, request);

describe('an answer of the proxy itself', () => {
  test.each<[RoutedRequest, number, string]>([
    [path('/path?q=1'), 301, 'http://reviews.example/new?q=1'],
    [path('/all'), 308, 'https://x.example:8443/all'],
    [path('/else'), 303, 'http://reviews.example:80/p'],
  ])('redirects %o with %s to %s', async (request, status, location) => {
    const answer = await send('redirect', request);
    expect([answer.status, answer.headers.location]).toEqual([status, location]);
  });

  test('is a text, bytes, or longer than Envoy would take without being told', async () => {
    const text = await send('answer', path('/text'));
    expect([text.status, text.body, text.headers['content-type']]).toEqual([202, 'hello', 'text/x']);
    expect((await send('answer', path('/bytes'))).body).toBe('hi');
    const long = await send('answer');
    expect([long.status, long.body.length]).toEqual([410, 9000]);
  });
});

describe('a rewrite', () => {
  test.each([
    ['/old?q=1', '/new?q=1'],
    ['/p', '/'],
    ['/p/a/b?q=/p', '/a/b?q=/p'],
    ['/q/a', '/v2/a'],
    ['/r.a', '/s\\1a'],
    ['/rxa', '/root/rxa'],
    ['/cASE/x', '/low/x'],
    ['/i/17?q', '/item?q'],
    ['/u/ann/x', '/x/of/ann'],
    ['/a', '/root/a'],
  ])('of %s gives %s', async (from, expected) => {
    expect((await send('rewrite', path(from))).seen?.url).toBe(expected);
  });

  test('of the host is what the application sees', async () => {
    expect((await send('rewrite', path('/old'))).seen?.headers.host).toBe('new.example');
  });
});

describe('time-outs and retries', () => {
  test.each<[Gate, RoutedRequest, number, number]>([
    ['timeout', { headers: { 'x-wait': '600' } }, 504, 1],
    ['timeout', {}, 200, 1],
    ['try timeout', { headers: { 'x-wait': '600' } }, 504, 3],
    ['retries', { path: '/statuses', headers: { 'x-answer': '409' } }, 409, 4],
    ['retries', { path: '/statuses', headers: { 'x-answer': '500' } }, 500, 1],
    ['retries', { path: '/5xx', headers: { 'x-answer': '500' } }, 500, 2],
    ['retries', { path: '/off', headers: { 'x-answer': '503' } }, 503, 1],
    ['retries', { path: '/default', headers: { 'x-answer': '503' } }, 503, 1],
  ])('%s: %o is answered %s after %s tries', async (gate, request, status, tries) => {
    gates.received();
    expect((await send(gate, request)).status).toBe(status);
    expect(gates.received()).toHaveLength(tries);
  });
});

describe('a fault', () => {
  test.each<[string, number]>([
    ['/abort', 418],
    ['/none', 200],
    ['/else', 200],
  ])('on %s answers %s', async (at, status) => {
    expect((await send('fault', path(at))).status).toBe(status);
  });

  test('is a gRPC status to who speaks gRPC', async () => {
    const headers = { 'content-type': 'application/grpc' };
    const answer = await send('fault', { method: 'POST', path: '/grpc', headers });
    expect([answer.status, answer.headers['grpc-status']]).toEqual([200, '14']);
  });

  test('is a delay', async () => {
    const start = performance.now();
    expect((await send('fault', path('/slow'))).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(290);
  });
});

describe('a mirror', () => {
  test('gets a copy with the host that the client asked for', async () => {
    gates.received();
    expect((await send('mirror', path('/x'))).seen?.backend).toBe('v1');
    await expect
      .poll(() => gates.received().find(({ backend }) => backend === 'ratings'))
      .toMatchObject({
        url: '/x',
        headers: { host: 'reviews.example' },
      });
  });

  test('of no share gets nothing', async () => {
    gates.received();
    await send('mirror', path('/none'));
    await send('mirror', path('/x'));
    const copies: string[] = [];
    await expect.poll(() => copies.push(...gates.received().map(({ backend, url }) => `${backend} ${url}`))).toBe(3);
    expect(copies.sort()).toEqual(['ratings /x', 'v1 /none', 'v1 /x']);
  });
});

describe('CORS', () => {
  const preflight = (origin: string): RoutedRequest => ({
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'PUT' },
  });

  test.each(['https://app.example', 'https://one.dev'])('answers the preflight of %s itself', async (origin) => {
    const answer = await send('cors', preflight(origin));
    expect(answer.seen).toBeUndefined();
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET,PUT',
        'access-control-allow-headers': 'x-token',
        'access-control-allow-credentials': 'true',
        'access-control-max-age': '3600',
      },
    });
  });

  test('does not pass on a preflight from an origin that is not allowed', async () => {
    const answer = await send('cors', preflight('https://evil.example'));
    expect([answer.seen, answer.headers['access-control-allow-origin']]).toEqual([undefined, undefined]);
  });

  test('marks the answer to a request', async () => {
    const answer = await send('cors', { headers: { origin: 'https://app.example' } });
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-expose-headers': 'x-app',
    });
  });
});

describe('weights', () => {
  test('share the load, and headers go with the share', async () => {
    const seen = await Promise.all(Array.from({ length: 200 }, async () => (await send('weights')).seen));
    const count = (backend: string): number => seen.filter((one) => one?.backend === backend).length;
    expect(count('v1') + count('v2')).toBe(200);
    // 3 of 4, with a spread that chance exceeds once in a hundred million times.
    expect(count('v1')).toBeGreaterThan(110);
    expect(count('v2')).toBeGreaterThan(15);
    expect(new Set(seen.map((one) => `${one?.backend} ${one?.headers['x-share']} ${one?.headers.host}`))).toEqual(
      new Set(['v1 big reviews.example', 'v2 undefined small.example']),
    );
  });

  test('a subset of DNS names that no endpoint is left in is answered 503, and delays no other', async () => {
    expect((await send('emptied')).status).toBe(503);
    expect((await send('emptied', { path: '/mirrored' })).status).toBe(200);
    const shared = await Promise.all(Array.from({ length: 20 }, () => send('emptied', { path: '/shared' })));
    expect(shared.map(({ status }) => status)).toContain(503);
  });

  test('a subset that nobody defines is answered 503', async () => {
    expect((await send('no such subset')).status).toBe(503);
  });
});

describe('header operations', () => {
  test('of one of several destinations are made before those of their route, which win', async () => {
    const { seen } = await send('headers of both');
    expect(seen?.headers).toMatchObject({ 'x-team': 'route', 'x-add': 'target, route', host: 'route.example' });
    expect(seen?.headers['x-target']).toBeUndefined();
  });

  test('reach the application and the client', async () => {
    const headers = { 'x-add': 'a', 'x-secret': '1', 'x-user': 'ann', 'x-set': 'old' };
    const { seen, headers: got } = await send('headers', { headers });
    expect(seen?.headers).toMatchObject({
      host: 'set.example',
      'x-set': '100%',
      'x-add': 'a, b',
      'x-who': 'ann',
      'x-destination': 'v1',
    });
    expect(seen?.headers['x-secret']).toBeUndefined();
    expect([got['x-more'], got['x-debug']]).toEqual(['1', undefined]);
  });
});
