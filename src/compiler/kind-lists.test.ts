import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { namespace, pod } from '../testing/objects.ts';
import { KindLists } from './kind-lists.ts';

const all = ['b/two', 'a/one', 'b/one', 'a/two', 'c/one'].map((name) => pod(name, undefined));

describe('KindLists', () => {
  test('have after any changes what fresh ones have, an object that stands there twice included', () => {
    const versions = fc.array(fc.array(fc.constantFrom(...all, namespace('a')), { maxLength: 8 }), { maxLength: 6 });
    fc.assert(
      fc.property(versions, (lists) => {
        const kept = new KindLists();
        for (const objects of lists) {
          const fresh = new KindLists();
          kept.replace(objects);
          fresh.replace(objects);
          for (const kind of ['Pod', 'Namespace', 'Service']) expect(kept.get(kind)).toEqual(fresh.get(kind));
          expect(kept.hasDuplicates).toBe(fresh.hasDuplicates);
        }
      }),
      runs(100),
    );
  });

  test('are sorted, and stay the same while objects of other kinds change', () => {
    const lists = new KindLists();
    lists.replace(all);
    const before = lists.get('Pod');
    expect(before.map((object) => `${object.namespace}/${object.name}`)).toEqual([
      'a/one',
      'a/two',
      'b/one',
      'b/two',
      'c/one',
    ]);
    lists.replace([namespace('a'), ...all]);
    expect(lists.get('Pod')).toBe(before);
  });
});
