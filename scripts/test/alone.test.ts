import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { alone, aloneOnClusters, onClusters } from './alone.ts';
import { longest } from './longest-first.ts';
import { onNewestNode } from './newest-node.ts';

test.each([...alone, ...onClusters, ...aloneOnClusters, ...longest, ...onNewestNode])(
  'the pattern %s of files that run alone, on a cluster, first, or on one Node, names one',
  (pattern) => {
    expect(globSync(pattern)).not.toEqual([]);
  },
);

const startsCluster = /\bstartCluster\b|\bConsulServer\b/;

test('every file of tests that starts a Kubernetes API server or Consul comes last', () => {
  const files = globSync('{src,e2e}/**/*.e2e.ts');
  const known = new Set(globSync([...onClusters]));
  const startsOne = files.filter((file) => startsCluster.test(readFileSync(file, 'utf8')));
  expect(startsOne.length).toBeGreaterThan(20);
  expect(startsOne.filter((file) => !known.has(file))).toEqual([]);
});

test('what runs alone on a cluster is among what runs on clusters, so no file runs twice', () => {
  const known = new Set(globSync([...onClusters]));
  expect(globSync([...aloneOnClusters]).filter((file) => !known.has(file))).toEqual([]);
});
