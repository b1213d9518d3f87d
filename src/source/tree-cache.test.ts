import { describe, expect, test } from 'vitest';
import { TreeCache } from './tree-cache.ts';

const texts = ['{a: 1}', '{b: 1}', '{c: 1}', '{d: 1}'];

describe('the cache of positions', () => {
  test('keeps what fits its bytes, and forgets the oldest beyond them', () => {
    // A tree takes 280 bytes a character: two of these texts.
    const cache = new TreeCache(2 * 6 * 280);
    const made = texts.map((text) => cache.of(text));
    expect(cache.of('{c: 1}')).toBe(made[2]);
    expect(cache.of('{d: 1}')).toBe(made[3]);
    const again = cache.of('{a: 1}');
    expect(again).not.toBe(made[0]);
    expect(cache.of('{c: 1}')).not.toBe(made[2]);
    expect(cache.of('{a: 1}')).toBe(again);
  });

  test('keeps one text that is larger than it until the next one comes', () => {
    const cache = new TreeCache(1);
    const made = cache.of('{a: 1}');
    expect(cache.of('{a: 1}')).toBe(made);
    cache.of('{b: 1}');
    expect(cache.of('{a: 1}')).not.toBe(made);
  });

  test('releases all trees on forget()', () => {
    const cache = new TreeCache();
    const tree = cache.of('{a: 1}');
    const plain = cache.plainOf('a: 1\n', { a: 1 });
    expect(plain).toBeDefined();
    expect(cache.plainOf('a: 1\n', { a: 1 })).toBe(plain);
    cache.forget();
    expect(cache.of('{a: 1}')).not.toBe(tree);
    expect(cache.plainOf('a: 1\n', { a: 1 })).not.toBe(plain);
  });
});
