import { describe, expect, test } from 'vitest';
import { LiftedResources } from './lifted-resources.ts';

function resources(...all: readonly Readonly<Record<string, unknown>>[]) {
  const lifted: string[] = [];
  const map = new LiftedResources(all, (fragment) => {
    const text = JSON.stringify(fragment.value);
    lifted.push(text);
    return text;
  });
  return { map, lifted };
}

describe('LiftedResources', () => {
  test('lifts a resource when it is first asked for, once', () => {
    const { map, lifted } = resources({ name: 'a' }, { name: 'b' });
    expect([map.size, map.has('a'), map.has('c'), [...map.keys()]]).toEqual([2, true, false, ['a', 'b']]);
    expect(lifted).toEqual([]);
    expect([map.get('b'), map.get('b'), map.get('c')]).toEqual(['{"name":"b"}', '{"name":"b"}', undefined]);
    expect(lifted).toEqual(['{"name":"b"}']);
  });

  test('goes through all in their order, whichever was asked for first', () => {
    const { map, lifted } = resources({ name: 'a' }, { name: 'b' }, {});
    map.get('b');
    const all = [
      ['a', '{"name":"a"}'],
      ['b', '{"name":"b"}'],
      ['', '{}'],
    ];
    expect([...map]).toEqual(all);
    expect([...map.entries()]).toEqual(all);
    expect([...map.values()]).toEqual(all.map(([, text]) => text));
    const seen: string[][] = [];
    map.forEach((text, name) => {
      seen.push([name, text]);
    });
    expect(seen).toEqual(all);
    expect(lifted).toHaveLength(3);
  });

  test('takes the last of several with one name', () => {
    const { map } = resources({ name: 'a', first: true }, { name: 'a' });
    expect([...map]).toEqual([['a', '{"name":"a"}']]);
  });
});
