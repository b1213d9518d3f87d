import { expect, test } from 'vitest';
import { whilePrompt } from './while-prompt.ts';

/** Reads so many files, each of which takes so long by the clock; gives which of them were read at once. */
async function readAtOnce(durations: readonly number[]): Promise<boolean[]> {
  let now = 0;
  const through = whilePrompt(() => now);
  const ways: boolean[] = [];
  for (const duration of durations) {
    await through('a.yaml', async (isAtOnce = false) => {
      ways.push(isAtOnce);
      now += duration;
      return [];
    });
  }
  return ways;
}

test('files that are there at once are read on this thread', async () => {
  expect(await readAtOnce([0.1, 4.9, 0.1])).toStrictEqual([true, true, true]);
});

test('after a file that was waited for, the next ones are waited for together, and then one is tried again', async () => {
  const ways = await readAtOnce(Array.from({ length: 70 }, () => 8));
  expect(ways.flatMap((isAtOnce, i) => (isAtOnce ? [i] : []))).toStrictEqual([0, 65]);
});
