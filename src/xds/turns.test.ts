import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('acts at once while there is time, then so much a turn of the event loop, in order', async () => {
  let now = 0;
  const turns = new Turns(10, () => now);
  const done: number[] = [];
  const act = (i: number) => () => {
    now += 4;
    done.push(i);
  };
  expect([1, 2, 3, 4, 5, 6, 7].map((i) => turns.take(act(i)))).toEqual([true, true, true, false, false, false, false]);
  expect(done).toEqual([1, 2, 3]);
  await turn();
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  expect(turns.take(act(8))).toBe(false);
  await turn();
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await turn();
  expect(turns.take(act(9))).toBe(true);
});

test('lets the others have their turn after one that throws', async () => {
  const turns = new Turns();
  expect(() =>
    turns.take(() => {
      throw new Error('no');
    }),
  ).toThrow('no');
  let isDone = false;
  turns.take(() => {
    isDone = true;
  });
  expect(isDone).toBe(true);
});
