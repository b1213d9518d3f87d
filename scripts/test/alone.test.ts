import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { alone } from './alone.ts';

test.each(alone)('the pattern %s of files that run alone names one', (pattern) => {
  expect(globSync(pattern)).not.toEqual([]);
});
