import { describe, expect, test } from 'vitest';
import { ResourceList } from './resource-list.ts';
import { ResourceView } from './resource-view.ts';

const body = new Uint8Array();

function viewOf(...parts: readonly (readonly string[])[]): ResourceView {
  return new ResourceView(
    ...parts.map((names) => new ResourceList(names.map((name) => ({ name, version: '1', body })))),
  );
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
});
