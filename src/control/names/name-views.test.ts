import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zoneName } from '../../dns/testing/sample-zone.ts';
import { Zone } from '../../dns/zone.ts';
import type { ZoneName } from '../../dns/zone-name.ts';
import { runs } from '../../testing/effort.ts';
import { readName, readSuffixes, suffixesKey } from '../../xds/name-resources.ts';
import { emptyView, type ResourceView } from '../../xds/resource-view.ts';
import type { ServiceName } from './name-table.ts';
import { NameViews } from './name-views.ts';
import type { ScopeChanges, ScopedWorkload } from './scope-changes.ts';
import { ServedNames } from './served-names.ts';

const suffixes = ['cluster.local', 'global'];
const hosts = ['a.global', 'b.a.global', '*.a.global', 'a.example', '*.example'];
const asked = [...hosts, 'c.b.a.global', 'no.global', 'no.example', 'x.org'].map((name) => name.split('.'));
const services = ['shop/a', 'shop/b', 'bank/a'];
const anyName = fc.record({
  name: fc.constantFrom(...hosts),
  viewers: fc.constantFrom<ZoneName['viewers']>('all', ['shop'], ['bank'], ['bank', 'shop'], []),
  namespace: fc.constantFrom('shop', 'bank', 'other'),
  addresses: fc.constantFrom([], ['10.0.0.1'], ['10.0.0.2', 'fd00::1']),
  isOfCluster: fc.boolean(),
  createdAt: fc.integer({ min: 0, max: 3 }),
  service: fc.constantFrom(...services),
});
const keyOf = ({ namespace, name }: Pick<ZoneName, 'namespace' | 'name'>): string => `${namespace}/${name}`;
const anyChange = fc.record({
  isWhole: fc.boolean(),
  changed: fc.array(
    anyName.map((name) => [keyOf(name), name] as const),
    { maxLength: 6 },
  ),
  removed: fc.array(anyName.map(keyOf), { maxLength: 3 }),
  imported: fc.array(fc.subarray(services), { minLength: 3, maxLength: 3 }),
  sidecars: fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }),
});
const viewers = ['shop', 'bank', 'other'];

/** Told as if nothing of it had been told: the workload of each namespace has the Sidecar of its number, 3 is none. */
function scopesOf(imported: readonly (readonly string[])[], sidecars: readonly number[]): ScopeChanges {
  const [workloads, goneWorkloads]: [[string, ScopedWorkload][], string[]] = [[], []];
  for (const [i, namespace] of viewers.entries()) {
    const scope = String(sidecars[i]);
    const whose = { namespace, serviceAccount: 'a', addresses: [`10.1.0.${i}`] };
    if (scope === '3') goneWorkloads.push(`${namespace}/w`);
    else workloads.push([`${namespace}/w`, { scope, ...whose }]);
  }
  const scopes = imported.map((names, i) => [String(i), names] as const);
  return { scopes, goneScopes: [], workloads, goneWorkloads };
}

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
    const { viewers: _, service: _of, ...name }: Partial<ServiceName> = found.name ?? zoneName('');
    return { ...found, name };
  });

const nameOf = (key: string, viewers: ZoneName['viewers'] = 'all'): ServiceName => ({
  ...zoneName(`${key}.global`, { viewers }),
  service: `shop/${key}`,
});

describe('NameViews', () => {
  test('let an agent answer what DNS of the control plane answers to its namespace', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { minLength: 1, maxLength: 6 }), (changes) => {
        const names = new ServedNames();
        for (const [i, { isWhole, changed, removed, imported, sidecars }] of changes.entries()) {
          const scopes = scopesOf(imported, sidecars);
          names.take({ isWhole: i === 0 || isWhole, suffixes, changed, removed, scopes });
          for (const [n, viewer] of viewers.entries()) {
            const zone = names.zoneFor({ namespace: viewer, serviceAccount: 'a', address: `10.1.0.${n}` });
            expect(answers(zoneOf(names.viewOf(viewer, `${viewer}/w`)), viewer)).toEqual(answers(zone, viewer));
            expect(answers(zoneOf(names.viewOf(viewer, 'no/w')), viewer)).toEqual(answers(names.zone, viewer));
          }
        }
      }),
      runs(),
    );
  });

  test('are the same object until a name in them is another one', () => {
    const views = new NameViews();
    expect(views.of('shop')).toBe(emptyView);
    const take = (key: string, viewers: ZoneName['viewers'], isWhole = false): void =>
      void views.take({ isWhole, suffixes, changed: [[key, nameOf(key, viewers)]], removed: [] });
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

  test('of a scope have what both the Sidecar and `exportTo` leave, and are the same object until one of these is another', () => {
    const views = new NameViews();
    const scope = { services: new Set(['shop/a', 'shop/b']) };
    const take = (changed: readonly ServiceName[], isWhole = false): unknown =>
      views.take({ isWhole, suffixes, changed: changed.map((name) => [name.service, name]), removed: [] });
    expect(views.of('shop', scope)).toBe(emptyView);
    take([nameOf('a'), nameOf('b', ['bank']), nameOf('c')], true);
    const namesIn = (namespace: string): readonly string[] => views.of(namespace, scope).all.map(({ name }) => name);
    expect([namesIn('shop'), namesIn('bank')]).toEqual([
      ['shop/a', suffixesKey],
      ['shop/a', 'shop/b', suffixesKey],
    ]);
    const before = views.of('shop', scope);
    take([nameOf('c', ['shop'])]);
    expect(views.of('shop', scope)).toBe(before);
    take([nameOf('b')]);
    expect(namesIn('shop')).toEqual(['shop/a', 'shop/b', suffixesKey]);
  });
});
