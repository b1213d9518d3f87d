import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../compiler/analyse.ts';
import { isPolicyKind } from '../compiler/collect.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import { besideFaults } from './beside-faults.ts';
import { isOfOneself } from './lint-texts.ts';
import { partialInput } from './partial-input.ts';
import type { RunnableRule } from './rule.ts';
import { allRules } from './rule-index.ts';
import { casesOf, type Example, readExample } from './testing/cases.ts';

/** Where a rule finds something. */
function placesIn(rule: RunnableRule, snapshot: Snapshot | undefined): readonly string[] {
  const found: string[] = [];
  if (snapshot === undefined) return found;
  rule.check({
    snapshot,
    report: (sighting) => {
      if ('object' in sighting) found.push(JSON.stringify([sighting.object.document.start, sighting.path]));
    },
    skip: () => undefined,
  });
  return found;
}

/** The policies of all examples, each in every namespace of the example. */
function* others(example: Example, examples: readonly Example[]): Iterable<MeshObject<string>> {
  const namespaces = new Set(example.snapshot.objects.map(({ namespace }) => namespace).filter((it) => it !== ''));
  for (const object of examples.flatMap(({ snapshot }) => snapshot.objects)) {
    if (!isPolicyKind(object.kind)) continue;
    for (const namespace of new Set([object.namespace, ...namespaces])) yield { ...object, namespace, name: 'other' };
  }
}

/** The others run on policies alone: they are certain by the text of one. */
const judging = allRules.filter((rule) => rule.kinds.some(isPolicyKind) && !isOfOneself(rule));

describe('a rule beside a faulty policy', () => {
  test.each(judging.map((rule) => [rule.code, rule] as const))(
    'of %s finds nothing that it would not find, were the policy sound',
    async (code, rule) => {
      const shapes = await Promise.all(
        casesOf(code).map(async (it) => ({ bad: await readExample(it, 'bad'), good: await readExample(it, 'good') })),
      );
      let count = 0;
      for (const { bad } of shapes) {
        for (const other of others(
          bad,
          shapes.flatMap(({ bad: one, good }) => [one, good]),
        )) {
          const { settings, objects } = bad.snapshot;
          const whole = createAnalyser(settings, partialInput)([...objects, other], new DiagnosticBag());
          if (whole === undefined) continue;
          const evidence = { ...other, template: undefined, mayFill: [] };
          const rest = createAnalyser(settings, { ...partialInput, unread: [evidence] })(objects, new DiagnosticBag());
          expect(placesIn(rule, whole)).toEqual(
            expect.arrayContaining([...placesIn(besideFaults(rule, new Set([other.kind])), rest)]),
          );
          count += 1;
        }
      }
      expect(count).toBeGreaterThan(0);
    },
  );
});
