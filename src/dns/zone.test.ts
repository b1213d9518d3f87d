import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { zoneName } from './testing/sample-zone.ts';
import { Zone } from './zone.ts';
import type { ZoneName } from './zone-name.ts';

const suffixes = ['cluster.local', 'global'];

/** What each viewer finds for each name. */
function contentOf(zone: Zone, names: readonly string[]): unknown[] {
  return names.flatMap((name) => [undefined, 'a', 'b'].map((viewer) => zone.find(name.split('.'), viewer)));
}

const hosts = ['global', 'x.global', 'y.x.global', '*.x.global', 'z.y.x.global', 'x.org', '*.org', 'y.x.org'];
const anyName = fc.record({
  host: fc.constantFrom(...hosts),
  viewers: fc.constantFrom<ZoneName['viewers']>('all', ['a'], ['b'], ['a', 'b'], []),
  namespace: fc.constantFrom('a', 'b', 'c'),
});
const change = fc.record({ key: fc.constantFrom('1', '2', '3', '4', '5', '6'), name: fc.option(anyName) });

describe('Zone', () => {
  test('is after any changes what it would be if it had been made so', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const zone = new Zone(suffixes);
        const now = new Map<string, ZoneName>();
        for (const { key, name } of changes) {
          const made = name === null ? undefined : zoneName(name.host, { ...name, createdAt: Number(key) });
          zone.set(key, made);
          if (made === undefined) now.delete(key);
          else now.set(key, made);
        }
        const fresh = new Zone(suffixes);
        for (const [key, name] of now) fresh.set(key, name);
        expect(contentOf(zone, [...hosts, 'w.x.global', 'no.org'])).toEqual(
          contentOf(fresh, [...hosts, 'w.x.global', 'no.org']),
        );
        expect(zone.size).toBe(now.size);
      }),
      runs(),
    );
  });

  test("chooses among services of one name the viewer's own, then the cluster's, then the oldest", () => {
    const host = 'api.example.org';
    const names = [
      zoneName(host, { namespace: 'young', isOfCluster: false, createdAt: 2 }),
      zoneName(host, { namespace: 'old', isOfCluster: false, createdAt: 1 }),
    ];
    const zone = new Zone(suffixes);
    for (const [i, name] of names.entries()) zone.set(String(i), name);
    const chosen = (viewer?: string): string | undefined => {
      const found = zone.find(host.split('.'), viewer);
      return found.type === 'known' ? found.name?.namespace : found.type;
    };
    expect([chosen(), chosen('young'), chosen('other')]).toEqual(['old', 'young', 'old']);
    zone.set('of the cluster', zoneName(host, { namespace: 'cluster', createdAt: 3 }));
    expect([chosen(), chosen('young')]).toEqual(['cluster', 'young']);
  });
});
