import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

interface Fault {
  readonly file: string;
  readonly before: string;
}

test.each([
  ['access', 'access-faults', 60],
  ['compiler', 'policy-faults', 40],
])('each fault that is planted in src/%s has its place there, once', async (room, list, goal) => {
  const { faults }: { faults: readonly Fault[] } = await import(path.resolve(`scripts/${list}/faults.mjs`));
  expect(faults.length).toBeGreaterThanOrEqual(goal);
  const lost = faults.filter(({ file, before }) => {
    return readFileSync(path.join('src', room, file), 'utf8').split(before).length !== 2;
  });
  expect(lost).toEqual([]);
});
