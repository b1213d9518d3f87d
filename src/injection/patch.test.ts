import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../source/document.ts';
import { runs } from '../testing/effort.ts';
import { patch } from './patch.ts';
import { applyPatch } from './testing/apply-patch.ts';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<never>;
/** Lists as pods have them: named items of which some are changed, some moved, some gone. */
const named = fc.uniqueArray(fc.record({ name: fc.constantFrom(...'abcdef'), of: json }), {
  selector: ({ name }) => name,
});
const values = fc.dictionary(
  fc.constantFrom('a', 'b/c', 'd~e', 'f'),
  fc.oneof(json, named),
) as fc.Arbitrary<JsonObject>;

describe('patch', () => {
  test('turns every value into the other one', () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        expect(applyPatch(before, patch(before, after))).toEqual(after);
      }),
      runs(300),
    );
  });

  test('is empty for equal values, whatever the order of their fields', () => {
    expect(patch({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toEqual([]);
  });

  test('adds one container by one operation, and changes another where it stands', () => {
    const before = { containers: [{ name: 'web', image: 'a' }, { name: 'log' }] };
    const after = { containers: [{ name: 'mesh-proxy' }, { name: 'web', image: 'b' }, { name: 'log' }] };
    expect(patch(before, after)).toEqual([
      { op: 'add', path: '/containers/0', value: { name: 'mesh-proxy' } },
      { op: 'replace', path: '/containers/1/image', value: 'b' },
    ]);
  });

  test('makes a list or an object that is not there as a whole', () => {
    expect(patch({ spec: {} }, { spec: { volumes: [{ name: 'a' }] }, metadata: { labels: { a: 'b' } } })).toEqual([
      { op: 'add', path: '/spec/volumes', value: [{ name: 'a' }] },
      { op: 'add', path: '/metadata', value: { labels: { a: 'b' } } },
    ]);
  });

  test('replaces a list whose items have one name as a whole', () => {
    const after = [{ name: 'a', value: 2 }];
    expect(patch({ l: [{ name: 'a' }, { name: 'a' }] }, { l: after })).toEqual([
      { op: 'replace', path: '/l', value: after },
    ]);
  });

  test('escapes keys, and takes no key of a prototype for a field', () => {
    expect(patch({}, { 'x/y~z': 1, constructor: 'c' })).toEqual([
      { op: 'add', path: '/x~1y~0z', value: 1 },
      { op: 'add', path: '/constructor', value: 'c' },
    ]);
  });
});
