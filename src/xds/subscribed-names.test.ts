import { expect, test } from 'vitest';
import { ResourceList } from './resource-list.ts';
import { ResourceView } from './resource-view.ts';
import { SubscribedNames } from './subscribed-names.ts';
import { resource } from './testing/resources.ts';

const viewOf = (names: readonly string[]): ResourceView =>
  new ResourceView(new ResourceList(names.map((name) => resource(name, '1'))));
const named = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `n${from + i}`);

test('a client that asks for every name of its view has no list of its own', () => {
  const names = new SubscribedNames();
  names.follow(viewOf(named(0, 3000)));
  names.add(named(0, 3000));
  expect([names.size, names.kept]).toEqual([3000, 0]);
  names.delete('n7');
  expect([names.has('n7'), names.has('n8'), names.kept]).toEqual([false, true, 1]);
});

test('a client that has every resource of a view has all its names, and no list of its own', () => {
  const names = new SubscribedNames();
  names.add(['other']);
  names.followAll(viewOf(named(0, 10)));
  expect([names.size, names.kept, names.has('n3'), names.has('other')]).toEqual([10, 0, true, false]);
  names.follow(viewOf(named(1, 12)));
  expect([names.has('n0'), names.has('n10'), names.absent]).toEqual([true, false, ['n0']]);
});

test('names are the same as those of a plain set, whatever the view and the order of changes', () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let round = 0; round < 30; round++) {
    const names = new SubscribedNames();
    const expected = new Set<string>();
    let view = viewOf([]);
    for (let i = 0; i < 60; i++) {
      const [from, count] = [random(50), random(40)];
      const some = named(from, from + count);
      const what = random(3);
      if (what === 0) {
        view = viewOf(some);
        names.follow(view);
      } else if (what === 1) {
        names.add(some);
        for (const name of some) expected.add(name);
      } else {
        const name = `n${from}`;
        names.delete(name);
        expected.delete(name);
      }
      expect(named(0, 100).filter((name) => names.has(name))).toEqual(
        named(0, 100).filter((name) => expected.has(name)),
      );
      expect(names.size).toBe(expected.size);
      expect(names.absent).toEqual([...expected].filter((name) => view.get(name) === undefined).sort());
    }
  }
});
