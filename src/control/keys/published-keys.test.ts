import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checkKeys } from '../../jwks/check-keys.ts';
import { keySetText, publicJwk } from '../../jwks/testing/keys.ts';
import { PublishedKeys } from './published-keys.ts';

const nowMs = Date.parse('2026-05-04T12:00:00Z');
const minuteMs = 60_000;
const dayMs = 86_400_000;

beforeEach(() => vi.useFakeTimers({ now: nowMs, toFake: ['Date', 'performance'] }));
afterEach(() => vi.useRealTimers());

/** What a replica reads that starts now. */
async function startedBefore(data: object): Promise<PublishedKeys> {
  const api = { ask: async <T>() => ({ metadata: { name: 'meshd-key-sets', resourceVersion: '7' }, data }) as T };
  const published = new PublishedKeys(api, 'mesh-system');
  await published.read();
  return published;
}

async function setsFetchedAt(fetchedAtMs: unknown): Promise<string> {
  const { text } = await checkKeys(keySetText(await publicJwk('a')));
  return JSON.stringify({ issuer: { text, fetchedAtMs } });
}

const ago = (ms: number): string => new Date(nowMs - ms).toISOString();

test.each([
  ['just now', ago(0), 1],
  ['five minutes ago, by a clock that may be a minute off', ago(5.9 * minuteMs), 1],
  ['six minutes ago', ago(6 * minuteMs), 0],
  ['last week', ago(7 * dayMs), 0],
  ['by a clock that is a minute ahead', ago(-minuteMs), 1],
  ['by a clock that is further ahead', ago(-1.1 * minuteMs), 0],
  ['at no time', undefined, 0],
  ['at what is no time', 'lately', 0],
])('a starting replica uses or ignores keys that were published %s', async (_when, publishedAt, count) => {
  const published = await startedBefore({ sets: await setsFetchedAt(nowMs), publishedAt });
  expect(published.sets.size).toBe(count);
});

test('what was published four minutes before the first read counts for two more, and no second read renews it', async () => {
  const published = await startedBefore({ sets: await setsFetchedAt(nowMs), publishedAt: ago(4 * minuteMs) });
  vi.advanceTimersByTime(1.9 * minuteMs);
  expect(published.sets.size).toBe(1);
  vi.advanceTimersByTime(0.1 * minuteMs);
  await published.read();
  expect(published.sets.size).toBe(0);
});

test('what a replica reads as soon as it is published counts for five minutes', async () => {
  const published = await startedBefore({ sets: await setsFetchedAt(nowMs), publishedAt: ago(0) });
  vi.advanceTimersByTime(4.9 * minuteMs);
  expect(published.sets.size).toBe(1);
  vi.advanceTimersByTime(0.1 * minuteMs);
  expect(published.sets.size).toBe(0);
});

test.each([
  ['almost seven days ago', nowMs - 7 * dayMs + 1, 1],
  ['seven days ago', nowMs - 7 * dayMs, 0],
  ['by a clock that is a minute ahead', nowMs + minuteMs, 1],
  ['in the future', nowMs + minuteMs + 1, 0],
  ['at no time', null, 0],
])('keys that were fetched %s are used or ignored', async (_when, fetchedAtMs, count) => {
  const published = await startedBefore({ sets: await setsFetchedAt(fetchedAtMs), publishedAt: ago(0) });
  expect(published.sets.size).toBe(count);
});
