import { describe, expect, it } from 'vitest';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import * as make from '../../testing/objects.ts';
import { OlderRules } from './older-rules.ts';

function ruleOf(name: string, spec: object): DestinationRule {
  return make.destinationRule(`a/${name}`, { host: 'b', ...spec });
}

const saying = { trafficPolicy: {}, subsets: [{ name: 'v1', labels: {} }] };

describe('OlderRules', () => {
  it('names the oldest rule that says something and is seen beside the rule', () => {
    const older = new OlderRules(['*']);
    for (const [name, spec] of [
      ['silent', {}],
      ['own', { ...saying, exportTo: ['.'] }],
      ['of-b', { ...saying, exportTo: ['b'] }],
      ['all', saying],
    ] as const) {
      older.add(ruleOf(name, spec));
    }
    const seen = [['*'], ['.'], ['b'], ['c'], undefined].map((exportTo) => {
      const rule = ruleOf('young', exportTo ? { exportTo } : {});
      return [older.withPolicy(rule)?.name, older.withSubset(rule, 'v1')?.name, older.withSubset(rule, 'v2')];
    });
    expect(seen).toEqual([
      ['own', 'own', undefined],
      ['own', 'own', undefined],
      ['of-b', 'of-b', undefined],
      ['all', 'all', undefined],
      ['own', 'own', undefined],
    ]);
  });

  it('reads a rule once, however many younger rules ask', () => {
    let reads = 0;
    const older = new OlderRules(['*']);
    for (let i = 0; i < 100; i++) {
      const { spec, ...facts } = ruleOf(`r${i}`, saying);
      const counted = {
        ...facts,
        get spec() {
          reads++;
          return spec;
        },
      };
      older.add(counted);
    }
    const afterAdding = reads;
    const young = ruleOf('young', saying);
    for (let i = 0; i < 100; i++) older.withPolicy(young);
    expect(reads).toBe(afterAdding);
  });
});
