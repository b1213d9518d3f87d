import { expect, test } from 'vitest';
import { fittingSets } from './fitting-sets.ts';
import type { PublishedKeySet } from './published-keys.ts';

const setOf = (length: number, character = 'k') => ({ text: character.repeat(length), fetchedAtMs: 1 });

test('all sets fit that are small together', () => {
  const all = new Map<string, PublishedKeySet>([
    ['a', setOf(400)],
    ['b', { reason: 'it does not answer' }],
  ]);
  expect(fittingSets(all)).toEqual({ sets: all, leftOut: [] });
});

test('one set of more than 64 KiB is left out, counted in bytes', () => {
  const all = new Map([
    ['huge', setOf(900_000)],
    ['wide', setOf(40_000, 'é')],
    ['long', setOf(65_000)],
  ]);
  const { sets, leftOut } = fittingSets(all);
  expect([...sets.keys()]).toEqual(['long']);
  expect(leftOut).toEqual(['wide', 'huge']);
});

test('the largest are left out where all are too large together, whatever their order', () => {
  const large = Array.from({ length: 20 }, (_, i) => [`large-${String(i).padStart(2, '0')}`, setOf(60_000)] as const);
  const all = new Map([...large.toReversed(), ['small', setOf(400)] as const]);
  const { sets, leftOut } = fittingSets(all);
  expect([...sets.keys()]).toEqual(['small', ...large.slice(0, 14).map(([name]) => name)]);
  expect(leftOut).toEqual(large.slice(14).map(([name]) => name));
  expect(JSON.stringify(Object.fromEntries(sets)).length).toBeLessThanOrEqual(900_000);
});
