import { describe, expect, test } from 'vitest';
import type { DecidingField, FragmentFields } from '../../contracts/origins-file.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import { decidersOf } from './deciders.ts';

const by = (name: string): DecidingField => ({ kind: 'Service', namespace: 'a', name, field: 'spec', file: 'a.yaml' });
const fragment = (path: string, name: string): FragmentFields => ({ path, decidedBy: [by(name)], overrode: [] });
const origins = {
  format: 1 as const,
  listeners: { l: [fragment('', 'whole'), fragment('chains[1]', 'chain'), fragment('chains[1].filters', 'filters')] },
  routes: {},
  clusters: {},
};
const root = new Fragment({ chains: [{}, { filters: [{}] }, ...Array.from({ length: 9 }, () => ({ x: 1 }))] });

describe('decidersOf', () => {
  test.each([
    ['the smallest part that holds it', root.at('chains').items[1]?.at('filters').items[0], 'filters'],
    ['the part itself', root.at('chains').items[1], 'chain'],
    ['the whole resource, not a part whose path only begins so', root.at('chains').items[10]?.at('x'), 'whole'],
  ])('gives those of %s', (_, at, name) => {
    expect(decidersOf(origins, 'l', at ?? root)).toEqual([by(name)]);
  });

  test('gives none for a resource without origins', () => {
    expect(decidersOf(origins, 'other', root)).toEqual([]);
  });
});
