import { expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Rehearsal } from './rehearsal.ts';

test.each([
  [[], 2],
  [[false, true], 1],
  [[true], 0],
])('inputs are compiled again unless somebody waits (%j): %d times', async (awaited, times) => {
  const taken: unknown[] = [];
  const answers = [...awaited];
  const fleet = {
    take: async (...inputs: readonly unknown[]) => {
      taken.push(inputs);
      return undefined as never;
    },
  };
  const inputs = { files: [{ path: 'a.yaml', text: '' }], version: 'v', bag: new DiagnosticBag() };
  const rehearsal = new Rehearsal();
  await rehearsal.run(fleet, inputs, () => answers.shift() ?? false);
  expect(taken).toEqual(Array.from({ length: times }, () => [inputs.files, 'v', inputs.bag]));
  await rehearsal.run(fleet, inputs, () => false);
  expect(taken).toHaveLength(times);
});
