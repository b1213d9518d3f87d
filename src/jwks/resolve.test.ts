import type { JWK } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKeySetResolver } from './resolve.ts';
import { keySetText, kidsOf, publicJwk } from './testing/keys.ts';
import { hang, kids, ok, StillWorld } from './testing/still-world.ts';

const minute = 60_000;
const uri = 'https://keys.example.com/jwks';
const source = { issuer: 'https://issuer.example.com', jwksUri: uri };

let first: JWK = {};
let world: StillWorld;

beforeAll(async () => {
  first = await publicJwk('first');
});

beforeEach(() => {
  world = new StillWorld(() => ok(keySetText(first)));
});

afterEach(() => world.resolver.close());

describe('get', () => {
  test('gives the keys, their digest and when they came', async () => {
    const { keySet, fault } = await world.resolver.get(source);
    expect(fault).toBeUndefined();
    expect(kidsOf(keySet?.text ?? '')).toEqual(['first']);
    expect(keySet).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), fetchedAtMs: 1_700_000_000_000 });
    expect(world.heard.lines).toEqual(['request', 'download ok', 'end ok', `change ${keySet?.digest.slice(0, 8)}`]);
  });

  test('lets a thousand callers share one request, and later ones its answer', async () => {
    const results = await Promise.all(Array.from({ length: 1000 }, () => world.resolver.get({ ...source })));
    expect(new Set(results.map(({ keySet }) => keySet?.digest)).size).toBe(1);
    await world.resolver.get(source);
    expect(world.asked).toEqual([uri]);
  });

  test('tries again three times for what may pass, with growing waits', async () => {
    world.answer = () => ({ status: 503, body: Buffer.alloc(0) });
    const result = world.resolver.get(source);
    await world.clock.settle();
    for (const wait of [187.5, 375, 750]) {
      expect(world.clock.waits).toEqual([wait]);
      await world.clock.advance(wait);
    }
    expect(await result).toEqual({ fault: { code: 'status-refused', message: `"${uri}" answers 503` } });
    expect(world.heard.lines.join(', ')).toBe(
      'request, download status-refused, retry, download status-refused, retry, download status-refused, ' +
        'retry, download status-refused, end fail status-refused, fault status-refused',
    );
  });

  test.each([
    [404, 1],
    [401, 1],
    [204, 1],
    [304, 1],
    [408, 4],
    [429, 4],
    [500, 4],
  ])('asks after status %d %d times', async (status, times) => {
    world.answer = () => ({ status, body: Buffer.alloc(0) });
    const result = world.resolver.get(source);
    await world.clock.settle();
    if (times > 1) await world.clock.advance(1_312.5);
    expect(await result).toMatchObject({ fault: { code: 'status-refused' } });
    expect(world.asked).toHaveLength(times);
  });

  test('gives up on a download after 5 seconds, or after the time that the source names', async () => {
    world.answer = hang;
    const slow = world.resolver.get(source);
    await world.clock.settle();
    expect(world.clock.waits).toEqual([5_000]);
    await world.clock.advance(4 * 5_000 + 1_312.5);
    expect(await slow).toMatchObject({ fault: { code: 'timed-out' } });
    const impatient = { ...source, jwksUri: `${uri}2`, timeoutMs: 100 };
    void world.resolver.get(impatient);
    await world.clock.settle(2);
    expect(world.clock.waits).toContain(100);
    await world.clock.advance(100, 2);
    expect(world.heard.count('download timed-out')).toBe(5);
  });

  test('gives up on a DNS that never answers', async () => {
    const deaf = createKeySetResolver({
      observer: world.heard,
      clock: world.clock,
      transport: () => Promise.reject(new Error('asked')),
      lookup: () => new Promise(() => undefined),
      timings: { retries: 0 },
    });
    const result = deaf.get(source);
    await world.clock.settle();
    await world.clock.advance(5_000);
    expect(await result).toMatchObject({
      fault: { code: 'timed-out', message: `"${uri}" is not there within 5000 ms` },
    });
    deaf.close();
  });

  test('answers at once while keys that never came are asked for again in the background', async () => {
    world.answer = () => ok('<html>');
    const lost = await world.resolver.get(source);
    expect(lost).toMatchObject({ fault: { code: 'answer-invalid' } });
    await world.clock.settle();
    expect(await world.resolver.get(source)).toEqual(lost);
    expect(world.asked).toHaveLength(1);
    await world.clock.advance(1_000);
    expect(world.asked).toHaveLength(2);
    await world.clock.advance(2 * minute);
    expect(world.asked.length).toBeGreaterThan(5);
    expect(world.heard.count('fault')).toBe(1);
    world.answer = () => ok(keySetText(first));
    await world.clock.advance(30_000);
    expect(kids(await world.resolver.get(source))).toEqual(['first']);
    expect(world.heard.count('change')).toBe(1);
  });

  test('ends the wait of one caller without ending the request of the others', async () => {
    let release = (): void => undefined;
    world.answer = () => new Promise((resolve) => (release = () => resolve(ok(keySetText(first)))));
    const stop = new AbortController();
    const [impatient, patient] = [world.resolver.get(source, stop.signal), world.resolver.get(source)];
    await world.clock.settle();
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(impatient).rejects.toBe(reason);
    await expect(world.resolver.get(source, stop.signal)).rejects.toBe(reason);
    release();
    expect(kids(await patient)).toEqual(['first']);
  });

  test('keeps what two issuers say of one URL apart', async () => {
    await world.resolver.get(source);
    await world.resolver.get({ ...source, issuer: 'other' });
    expect(world.asked).toEqual([uri, uri]);
  });
});

describe('close', () => {
  test('ends waits and requests at once, without news', async () => {
    world.answer = hang;
    const waiting = world.resolver.get(source);
    await world.clock.settle();
    world.resolver.close();
    expect(await waiting).toMatchObject({ fault: { code: 'closed' } });
    await world.clock.settle(0);
    expect(await world.resolver.get(source)).toMatchObject({ fault: { code: 'closed' } });
    expect(world.resolver.current(source)).toMatchObject({ fault: { code: 'closed' } });
    world.resolver.retain([source]);
    expect(world.asked).toHaveLength(1);
    expect(world.heard.lines).toEqual(['request']);
  });
});
