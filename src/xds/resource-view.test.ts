import { describe, expect, test } from 'vitest';
import { ResourceList } from './resource-list.ts';
import { ResourceView } from './resource-view.ts';

const body = new Uint8Array();

const lists = new Map<string, ResourceList>();

/** Of the same names, the same list. */
function listOf(names: readonly string[]): ResourceList {
  const list = lists.get(names.join()) ?? new ResourceList(names.map((name) => ({ name, version: '1', body })));
  lists.set(names.join(), list);
  return list;
}

function viewOf(...parts: readonly (readonly string[])[]): ResourceView {
  return new ResourceView(...parts.map(listOf));
}

describe('a view', () => {
  test.each([
    [[], []],
    [[['b', 'a']], ['a', 'b']],
    [[['b'], []], ['b']],
    [[[], ['b']], ['b']],
    [
      [
        ['b', 'd', 'f'],
        ['a', 'c', 'g', 'h'],
      ],
      ['a', 'b', 'c', 'd', 'f', 'g', 'h'],
    ],
    [
      [['c'], ['b'], ['a', 'd']],
      ['a', 'b', 'c', 'd'],
    ],
  ])('of the lists %j has the resources of all in the order of their names', (parts, names) => {
    const view = viewOf(...parts);
    expect(view.all.map(({ name }) => name)).toEqual(names);
    expect(view.digest).toBe(viewOf(names).digest);
  });

  test.each([
    ['comes into the part beside its own', [['a'], ['b']], [['a', 'b'], ['b']], []],
    ['goes out of one part and stands in the other one', [['a', 'b'], ['b']], [['a'], ['b']], []],
    ['moves from part to part', [['a', 'b'], []], [['a'], ['b']], []],
    ['is new', [['a'], []], [['a', 'c'], []], ['c']],
  ])('says of a resource that %s only what differs for a client', (_, before, after, changed) => {
    const [from, to] = [viewOf(...before), viewOf(...after)];
    expect(to.changesSince(from).changed.map(({ name }) => name)).toEqual(changed);
    expect(to.changesSince(from).removed).toEqual([]);
    expect(from.changesSince(to).removed).toEqual(changed);
  });
});
