import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zoneName } from '../../dns/testing/sample-zone.ts';
import { Zone } from '../../dns/zone.ts';
import type { ZoneName } from '../../dns/zone-name.ts';
import { runs } from '../../testing/effort.ts';
import { readName, readSuffixes, suffixesKey } from '../../xds/name-resources.ts';
import { emptyView, type ResourceView } from '../../xds/resource-view.ts';
import { NameViews } from './name-views.ts';
import { ServedNames } from './served-names.ts';

const suffixes = ['cluster.local', 'global'];
const hosts = ['a.global', 'b.a.global', '*.a.global', 'a.example', '*.example'];
const asked = [...hosts, 'c.b.a.global', 'no.global', 'no.example', 'x.org'].map((name) => name.split('.'));
const anyName = fc.record({
  name: fc.constantFrom(...hosts),
  viewers: fc.constantFrom<ZoneName['viewers']>('all', ['shop'], ['bank'], ['bank', 'shop'], []),
  namespace: fc.constantFrom('shop', 'bank', 'other'),
  addresses: fc.constantFrom([], ['10.0.0.1'], ['10.0.0.2', 'fd00::1']),
  isOfCluster: fc.boolean(),
  createdAt: fc.integer({ min: 0, max: 3 }),
});
const keyOf = ({ namespace, name }: Pick<ZoneName, 'namespace' | 'name'>): string => `${namespace}/${name}`;
const anyChange = fc.record({
  isWhole: fc.boolean(),
  changed: fc.array(
    anyName.map((name) => [keyOf(name), name] as const),
    { maxLength: 6 },
  ),
  removed: fc.array(anyName.map(keyOf), { maxLength: 3 }),
});

/** The zone that an agent makes of what it is sent. */
function zoneOf(view: ResourceView): Zone {
  const zone = new Zone(readSuffixes(view.get(suffixesKey)?.body ?? new Uint8Array()) ?? []);
  for (const { name, body } of view.all) {
    const entry = name === suffixesKey ? undefined : readName(body);
    if (entry !== undefined) zone.set(name, { ...entry, viewers: 'all' });
  }
  return zone;
}

const answers = (zone: Zone | undefined, viewer: string): unknown[] =>
  asked.map((labels) => {
    const found = zone?.find(labels, viewer);
    if (found?.type !== 'known') return found;
    const { viewers: _, ...name } = found.name ?? zoneName('');
    return { ...found, name };
  });

describe('NameViews', () => {
  test('let an agent answer what DNS of the control plane answers to its namespace', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { minLength: 1, maxLength: 6 }), (changes) => {
        const names = new ServedNames();
        for (const [i, { isWhole, changed, removed }] of changes.entries())
          names.take({ isWhole: i === 0 || isWhole, suffixes, changed, removed });
        for (const viewer of ['shop', 'bank', 'other'])
          expect(answers(zoneOf(names.viewOf(viewer)), viewer)).toEqual(answers(names.zone, viewer));
      }),
      runs(),
    );
  });

  test('are the same object until a name in them is another one', () => {
    const views = new NameViews();
    expect(views.of('shop')).toBe(emptyView);
    const take = (key: string, viewers: ZoneName['viewers'], isWhole = false): void =>
      views.take({ isWhole, suffixes, changed: [[key, zoneName(`${key}.global`, { viewers })]], removed: [] });
    take('public', 'all', true);
    take('private', ['shop']);
    const [shop, bank, other] = [views.of('shop'), views.of('bank'), views.of('other')];
    expect(bank).toBe(other);
    expect([shop.size, bank.size]).toEqual([3, 2]);
    take('private', ['shop']);
    expect(views.of('bank')).toBe(bank);
    expect(views.of('shop')).not.toBe(shop);
    expect(views.of('shop').changesSince(shop)).toEqual({ changed: [], removed: [] });
    take('public', ['shop']);
    expect(views.of('bank')).not.toBe(bank);
    expect(views.of('bank').changesSince(bank)).toEqual({ changed: [], removed: ['public'] });
  });
});
