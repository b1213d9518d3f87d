import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

interface Fault {
  readonly file: string;
  readonly before: string;
}

test.each([
  ['access', 'access-faults/faults.mjs', 60],
  ['access', 'access-faults/blind-faults.mjs', 30],
  ['compiler', 'policy-faults/faults.mjs', 40],
])('each fault that is planted in src/%s by %s has its place there, once', async (room, list, goal) => {
  const { faults }: { faults: readonly Fault[] } = await import(path.resolve('scripts', list));
  expect(faults.length).toBeGreaterThanOrEqual(goal);
  const lost = faults.filter(({ file, before }) => {
    return readFileSync(path.join('src', room, file), 'utf8').split(before).length !== 2;
  });
  expect(lost).toEqual([]);
});
