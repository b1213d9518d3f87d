import { describe, expect, test } from 'vitest';
import { hintsOf, policy } from './testing/hints.ts';

describe('the hint of a finding about what was read', () => {
  test('of ConfigMaps that are skipped tells how to give the mesh configuration that one holds', () => {
    const map = (key: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {${key}: "x"}\n`;
    expect(hintsOf('skipped-kinds', 'cluster.local', map('mesh'), policy('a', '{}'))).toEqual([
      expect.stringContaining('--meshConfig'),
    ]);
    expect(hintsOf('skipped-kinds', 'cluster.local', map('other'), policy('a', '{}'))).toEqual([undefined]);
  });

  test('of a label without effect stands for the policies that apply to no workload', () => {
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {mesh-injection: "true"}}\n';
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec: {containers: [{name: a}]}\n';
    const all = [namespace, pod, policy('a', '{}')];
    expect(hintsOf('injection-label-without-effect', 'cluster.local', ...all)).toHaveLength(1);
    expect(hintsOf('policy-in-force-nowhere', 'cluster.local', ...all)).toEqual([]);
    expect(hintsOf('policy-in-force-nowhere', 'cluster.local', ...all.slice(1))).toHaveLength(1);
  });
});
