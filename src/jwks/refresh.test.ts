import type { JWK } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { keySetText, kidsOf, publicJwk } from './testing/keys.ts';
import { kids, ok, StillWorld } from './testing/still-world.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const uri = 'https://keys.example.com/jwks';
const source = { issuer: 'https://issuer.example.com', jwksUri: uri };

let first: JWK = {};
let second: JWK = {};
let world: StillWorld;

beforeAll(async () => {
  [first, second] = await Promise.all([publicJwk('first'), publicJwk('second')]);
});

beforeEach(() => {
  world = new StillWorld(() => ok(keySetText(first)));
});

afterEach(() => world.resolver.close());

describe('refresh', () => {
  test('fetches every 20 minutes, and reports changed keys only', async () => {
    await world.resolver.get(source);
    await world.clock.settle();
    await world.clock.advance(20 * minute);
    expect([world.asked.length, world.heard.count('change')]).toEqual([2, 1]);
    world.answer = () => ok(keySetText(second, first));
    await world.clock.advance(20 * minute);
    expect([world.asked.length, world.heard.count('change')]).toEqual([3, 2]);
    expect(kids(world.resolver.current(source))).toEqual(['first', 'second']);
  });

  test.each([
    ['is away', () => ({ status: 503, body: Buffer.alloc(0) })],
    ['answers with a page', () => ok('<html>')],
    ['answers with no set', () => ok('{"keys":{}}')],
    ['answers with more keys than are looked at', () => ok(keySetText(...Array.from({ length: 101 }, () => first)))],
  ])('keeps the last valid keys while the source %s, and says so', async (_name, broken) => {
    await world.resolver.get(source);
    await world.clock.settle();
    world.answer = broken;
    await world.clock.advance(21 * minute);
    const { keySet, fault } = await world.resolver.get(source);
    expect(kidsOf(keySet?.text ?? '')).toEqual(['first']);
    expect(fault).toBeDefined();
    expect([world.heard.count('change'), world.heard.count('fault')]).toEqual([1, 1]);
    world.answer = () => ok(keySetText(first));
    await world.clock.advance(3 * minute);
    expect(await world.resolver.get(source)).toMatchObject({ keySet: { digest: keySet?.digest }, fault: undefined });
    expect(world.heard.count('change')).toBe(1);
  });

  test.each([
    ['an empty set', '{"keys":[]}'],
    ['a set of a symmetric key alone', '{"keys":[{"kty":"oct","k":"AAAA"}]}'],
  ])('treats %s as a withdrawal of all keys, and fetches again soon', async (_name, answer) => {
    await world.resolver.get(source);
    await world.clock.settle();
    world.answer = () => ok(answer);
    await world.clock.advance(23 * minute);
    expect(world.resolver.current(source)).toMatchObject({ fault: { code: 'keys-withdrawn' } });
    expect(world.resolver.current(source)?.keySet).toBeUndefined();
    expect(world.heard.lines.filter((line) => line.startsWith('change none'))).toEqual(['change none keys-withdrawn']);
    world.answer = () => ok(keySetText(second));
    await world.clock.advance(30_000);
    expect(kids(world.resolver.current(source))).toEqual(['second']);
  });

  test('drops the last valid keys after 7 days without an answer, and uses new ones later', async () => {
    await world.resolver.get(source);
    await world.clock.settle();
    world.answer = () => ({ status: 404, body: Buffer.alloc(0) });
    for (let days = 0; days < 7; days++) {
      expect(kids(world.resolver.current(source))).toEqual(['first']);
      await world.clock.advance(day);
    }
    await world.clock.advance(20 * minute);
    expect(world.resolver.current(source)).toMatchObject({
      fault: { code: expect.stringMatching(/outdated|status-refused/) },
    });
    expect(world.resolver.current(source)?.keySet).toBeUndefined();
    expect(world.heard.lines.filter((line) => line.startsWith('change none'))).toEqual(['change none outdated']);
    world.answer = () => ok(keySetText(first));
    await world.clock.advance(minute);
    expect(kids(world.resolver.current(source))).toEqual(['first']);
  });

  test('gives a source up that nobody asked for in 7 days', async () => {
    await world.resolver.get(source);
    await world.clock.settle();
    await world.clock.advance(6 * day);
    world.resolver.current(source);
    await world.clock.advance(7 * day - minute);
    const before = world.asked.length;
    await world.clock.advance(minute, 0);
    expect([world.clock.waits, world.asked.length]).toEqual([[], before]);
    expect(kids(await world.resolver.get(source))).toEqual(['first']);
    expect(world.asked).toHaveLength(before + 1);
  });

  test('keeps a retained source fresh however long nobody asks, and asks no more once nobody names it', async () => {
    world.resolver.retain([source]);
    await world.clock.settle();
    await world.clock.advance(9 * day);
    world.resolver.retain([]);
    const asked = world.asked.length;
    expect(asked).toBeGreaterThan(9 * 70);
    await world.clock.advance(7 * day - minute);
    expect(world.asked).toHaveLength(asked);
  });

  test('keeps the last valid keys of a source that is named again, and fetches at once', async () => {
    world.resolver.retain([source]);
    await world.clock.settle();
    world.resolver.retain([]);
    await world.clock.advance(day);
    const asked = world.asked.length;
    world.resolver.retain([source]);
    expect(kids(world.resolver.current(source))).toEqual(['first']);
    await world.clock.settle();
    await world.clock.advance(1);
    expect(world.asked).toHaveLength(asked + 1);
  });

  test('stops fetching from a source without keys when no rule names it, and starts again when one does', async () => {
    world.answer = () => ({ status: 404, body: Buffer.alloc(0) });
    world.resolver.retain([source]);
    await world.clock.settle();
    await world.clock.advance(minute);
    world.resolver.retain([]);
    const asked = world.asked.length;
    await world.clock.advance(day);
    expect(world.asked).toHaveLength(asked);
    world.answer = () => ok(keySetText(first));
    world.resolver.retain([source]);
    await world.clock.settle();
    await world.clock.advance(1);
    expect(kids(world.resolver.current(source))).toEqual(['first']);
  });

  test('takes no keys that an ended look brings after a newer one', async () => {
    const judged = new Map<string, () => void>();
    world.judgement = (keySet) => new Promise((resolve) => judged.set(String(kidsOf(keySet)[0]), resolve));
    world.resolver.retain([source]);
    await eventually(() => expect([...judged.keys()]).toEqual(['first']));
    world.resolver.retain([]);
    world.answer = () => ok(keySetText(second));
    world.resolver.retain([source]);
    await eventually(() => expect([...judged.keys()]).toEqual(['first', 'second']));
    judged.get('second')?.();
    await eventually(() => expect(kids(world.resolver.current(source))).toEqual(['second']));
    judged.get('first')?.();
    await world.clock.settle();
    expect([kids(world.resolver.current(source)), world.heard.count('change')]).toEqual([['second'], 1]);
  });

  test('reports no change after it is closed', async () => {
    let accept: (() => void) | undefined;
    world.judgement = () => new Promise((resolve) => (accept = resolve));
    world.resolver.retain([source]);
    await eventually(() => expect(accept).toBeDefined());
    world.resolver.close();
    accept?.();
    await world.clock.settle(0);
    expect(world.heard.count('change')).toBe(0);
  });

  test.each([
    ['429 and seconds', { status: 429, retryAfter: '90' }, 90_000],
    ['503 and a date', { status: 503, retryAfter: 'date in 90 s' }, 90_000],
    ['503 and more than the refresh interval', { status: 503, retryAfter: '999999' }, 20 * minute],
  ])('waits as long as the server asks for: %s', async (_, { status, retryAfter }, waitMs) => {
    const date = new Date(world.clock.wallMs() + 90_000).toUTCString();
    const header = retryAfter.startsWith('date') ? date : retryAfter;
    world.answer = () => ({ status, body: Buffer.alloc(0), retryAfter: header });
    world.resolver.retain([source]);
    await world.clock.settle();
    await world.clock.advance(waitMs - 1_100);
    expect(world.asked).toHaveLength(1);
    await world.clock.advance(2_200);
    expect(world.asked).toHaveLength(2);
  });
});
