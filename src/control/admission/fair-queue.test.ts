import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const drained = (queue: FairQueue<string>): string[] => {
  const items: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item);
  return items;
};

test('who sends many delays others by one at a time', () => {
  const queue = new FairQueue<string>(10);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.put(item.slice(0, 1), item);
  expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('of each only so many may wait, whatever others do', () => {
  const queue = new FairQueue<string>(2);
  expect(['a1', 'a2', 'a3', 'b1'].map((item) => queue.put(item.slice(0, 1), item))).toEqual([true, true, false, true]);
  queue.take();
  expect(queue.put('a', 'a4')).toBe(true);
  expect(drained(queue)).toEqual(['b1', 'a2', 'a4']);
});

test('what comes back is first of its own, and nothing is left after all was taken', () => {
  const queue = new FairQueue<string>(2);
  for (const item of ['a1', 'a2']) queue.put('a', item);
  const item = queue.take() ?? '';
  queue.putFirst('a', item);
  expect(queue.isEmpty).toBe(false);
  expect([...queue.takeAll()]).toEqual(['a1', 'a2']);
  expect([queue.take(), queue.isEmpty]).toEqual([undefined, true]);
});
