import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { namesUsedIn, referencesOf } from '../../envoy/api/references.ts';
import { sample } from '../../testing/edited-sample.ts';
import { runs } from '../../testing/effort.ts';
import type { EnvoyConfig, Resource, ResourceSet } from '../render/resource.ts';
import { inFiles } from '../render/testing/with-resources.ts';
import { Findings } from './finding.ts';
import { hasSoundNames, namesOfBootstrap } from './names.ts';
import { checkReferences } from './references.ts';
import { checkNames } from './uniqueness.ts';

const lists = ['listeners', 'clusters', 'routes'] as const;
const everything = lists.flatMap((list) => sample[list].map((resource) => ({ list, resource })));

/** Where each resource of the sample stands, and whether a second one takes its name. */
const placements = fc.array(
  fc.record({ in: fc.constantFrom('own', 'shared', 'both', 'nowhere'), isTwice: fc.boolean() }),
  { minLength: everything.length, maxLength: everything.length },
);
const mostlySound = fc.array(
  fc.record({
    in: fc.oneof({ weight: 40, arbitrary: fc.constantFrom('own', 'shared', 'both') }, fc.constant('nowhere')),
    isTwice: fc.oneof({ weight: 60, arbitrary: fc.constant(false) }, fc.constant(true)),
  }),
  { minLength: everything.length, maxLength: everything.length },
);

function configIn(places: readonly { readonly in: string; readonly isTwice: boolean }[]): EnvoyConfig {
  const setOf = (name: string): ResourceSet => {
    const set: Record<(typeof lists)[number], Resource[]> = { listeners: [], clusters: [], routes: [] };
    for (const [i, { list, resource }] of everything.entries()) {
      const place = places[i];
      if (place?.in === name || place?.in === 'both') set[list].push(resource);
      if (place?.isTwice && name === 'own') set[list].push({ ...resource });
    }
    return set;
  };
  const { namespace, workload, bootstrap } = sample;
  const sets = { own: setOf('own'), shared: setOf('shared'), leftOut: new Set<Resource>() };
  return inFiles({ namespace, workload, bootstrap: () => bootstrap, ...sets });
}

/** What the checks with places say, which look at everything. */
function isSound(config: EnvoyConfig): boolean {
  const bag = new DiagnosticBag();
  const findingsOf = (resource: Resource): Findings => new Findings(resource, bag);
  checkNames(config, findingsOf);
  checkReferences(config, findingsOf);
  return bag.all.length === 0;
}

describe('namesUsedIn', () => {
  test('finds the names that referencesOf finds', () => {
    const found = { cluster: 0, route: 0, secret: 0 };
    const split = { weighted_clusters: { clusters: [{ name: 'a', weight: 1 }] }, clusters: [{ name: 'none' }] };
    for (const json of [split, sample.bootstrap.json, ...everything.map(({ resource }) => resource.json)]) {
      const names = namesUsedIn(json);
      for (const kind of ['cluster', 'route', 'secret'] as const) {
        const expected = referencesOf(json).flatMap(({ to, name }) => (to === kind ? [name] : []));
        expect(names[kind]).toEqual(new Set(expected));
        found[kind] += expected.length;
      }
    }
    expect(Math.min(...Object.values(found))).toBeGreaterThan(0);
  });
});

describe('hasSoundNames', () => {
  test('says what the checks of names and references find, however resources are shared', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(fc.oneof(placements, mostlySound), (places) => {
        const config = configIn(places);
        seen.add(isSound(config));
        expect(hasSoundNames(config, namesOfBootstrap(config.bootstrap))).toBe(isSound(config));
      }),
      runs(60),
    );
    expect(seen.size).toBe(2);
  });
});
