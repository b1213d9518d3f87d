import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../source/document.ts';
import { runs } from '../testing/effort.ts';
import { undo, undoOf } from './undo.ts';

const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 3 }));
const item = fc.record({ name: fc.constantFrom(...'abcd'), of: leaf }, { requiredKeys: ['name'] });
const list = fc.uniqueArray(item, { selector: ({ name }) => name });
const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(leaf, list));
const values = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.oneof(leaf, list, fields)) as fc.Arbitrary<JsonObject>;

describe('undo', () => {
  test('makes every object again what it was', () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        expect(undo(after, undoOf(after, before) ?? {})).toEqual(before);
      }),
      runs(1_000),
    );
  });

  test('says nothing of equal objects', () => {
    expect(undoOf({ a: [{ name: 'b' }] }, { a: [{ name: 'b' }] })).toBeUndefined();
  });

  test('leaves what others have added, and does without what others have taken away', () => {
    const before = { labels: { app: 'web' }, items: [{ name: 'web', image: 'a' }, { name: 'gone' }] };
    const after = {
      labels: { app: 'web', ours: '1' },
      items: [{ name: 'ours' }, { name: 'web', image: 'b' }, { name: 'gone', x: 1 }],
      made: { ours: '1' },
    };
    const changed = {
      labels: { app: 'web', ours: '1', theirs: '1' },
      items: [{ name: 'theirs' }, { name: 'web', image: 'b', theirs: true }],
      made: { ours: '1', theirs: '1' },
    };
    expect(undo(changed, undoOf(after, before) ?? {})).toEqual({
      labels: { app: 'web', theirs: '1' },
      items: [{ name: 'theirs' }, { name: 'web', image: 'a', theirs: true }],
      made: { theirs: '1' },
    });
  });

  test('takes the fields of a probe back as a whole, since a server fills them in', () => {
    const before = { items: [{ name: 'web', readinessProbe: { httpGet: { port: 80 } } }] };
    const after = { items: [{ name: 'web', readinessProbe: { httpGet: { port: 15_020 } } }] };
    const filled = { items: [{ name: 'web', readinessProbe: { httpGet: { port: 15_020, scheme: 'HTTP' } } }] };
    expect(undo(filled, undoOf(after, before) ?? {})).toEqual(before);
  });
});
