import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { alone, onClusters } from './alone.ts';

test.each([...alone, ...onClusters])(
  'the pattern %s of files that run alone, or on a cluster, names one',
  (pattern) => {
    expect(globSync(pattern)).not.toEqual([]);
  },
);
