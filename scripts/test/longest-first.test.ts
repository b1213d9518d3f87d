import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import { LongestFirst, longest } from './longest-first.ts';

const small = 'e2e/cluster/cluster.e2e.ts';
const large = 'src/control/registry/cluster/cluster-registry.e2e.ts';
const apart = 'src/watch/watch.e2e.ts';

/** As Vitest has it where no test has run before. */
const vitest = { cache: { getTestSpecificationResult: () => undefined } } as unknown as Vitest;

function specification(file: string, groupOrder: number): TestSpecification {
  const project = { name: String(groupOrder), config: { isolate: true, sequence: { groupOrder } } };
  return { moduleId: resolve(file), project } as unknown as TestSpecification;
}

test('the longest files come first in their phase, however small they are, and phases keep their order', async () => {
  const files = [specification(large, 3), specification(small, 3), specification(apart, 1)];
  expect(longest).toContain(small);
  const sorted = await new LongestFirst(vitest).sort(files);
  expect(sorted.map(({ moduleId }) => moduleId)).toEqual([apart, small, large].map((file) => resolve(file)));
});
