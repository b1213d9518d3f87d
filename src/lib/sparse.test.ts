import { describe, expect, test } from 'vitest';
import { SparseMap, SparseSet } from './sparse.ts';

describe('SparseMap', () => {
  test('holds what was set and not deleted, in the order in which it came', () => {
    const map = new SparseMap<string, number>();
    expect([map.size, map.get('a'), map.has('a'), map.delete('a'), [...map.keys()]]).toEqual([
      ...[0, undefined, false, false, []],
    ]);
    map.set('b', 1);
    map.set('a', 2);
    map.set('b', 3);
    expect([map.size, map.get('b'), map.has('a'), [...map.keys()], [...map.values()]]).toEqual([
      ...[2, 3, true, ['b', 'a'], [3, 2]],
    ]);
    expect([map.delete('b'), map.delete('b'), map.size, map.has('b')]).toEqual([true, false, 1, false]);
  });

  test('may be emptied and filled while its keys are gone through', () => {
    const map = new SparseMap<string, number>();
    map.set('a', 1);
    map.set('b', 2);
    for (const key of map.keys()) map.delete(key);
    expect([map.size, [...map.keys()]]).toEqual([0, []]);
    map.set('c', 3);
    expect([...map.keys()]).toEqual(['c']);
  });
});

describe('SparseSet', () => {
  test('holds what was added and not deleted', () => {
    const set = new SparseSet<string>();
    expect([set.size, set.has('a'), set.delete('a'), [...set]]).toEqual([0, false, false, []]);
    set.add('a');
    set.add('b');
    set.add('a');
    expect([set.size, set.has('a'), [...set]]).toEqual([2, true, ['a', 'b']]);
    expect([set.delete('a'), [...set]]).toEqual([true, ['b']]);
    set.clear();
    expect([set.size, [...set]]).toEqual([0, []]);
  });
});
