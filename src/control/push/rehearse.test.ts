import { expect, test } from 'vitest';
import { rehearse } from './rehearse.ts';

test.each([
  [[], 2],
  [[false, true], 1],
  [[true], 0],
])('inputs are compiled again unless somebody waits (%j): %d times', async (awaited, times) => {
  const taken: string[] = [];
  const answers = [...awaited];
  const fleet = {
    take: async (_files: unknown, version: string) => {
      taken.push(version);
      return undefined as never;
    },
  };
  await rehearse(fleet, { files: [], version: 'v' }, () => answers.shift() ?? false);
  expect(taken).toEqual(Array.from({ length: times }, () => 'v'));
});
