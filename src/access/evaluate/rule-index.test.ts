import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressIn, headerIs, pathIs, ruleOf, type SeenRequest, viewOf } from '../../testing/conditions.ts';
import { runs } from '../../testing/effort.ts';
import { accessRules, requests, unknowns } from '../../testing/generated-conditions.ts';
import type { AccessRule, AccessRules, Condition } from '../lift/rbac.ts';
import { StringMatch } from '../model/string-match.ts';
import { type AccessVerdict, judge } from './access-rules.ts';
import type { Blanks } from './blanks.ts';
import { holds, knownTruth } from './holds.ts';
import type { RequestView } from './request-view.ts';
import { rulesFor } from './rule-index.ts';

const exactPath = (path: string): Condition => pathIs(new StringMatch('exact', path));
const pathBelow = (path: string): Condition => pathIs(new StringMatch('prefix', path));
const methodOf = (value: string): Condition => headerIs(':method', new StringMatch('exact', value));

describe('rulesFor', () => {
  const paths = Array.from({ length: 20 }, (_, i) =>
    ruleOf({ kind: 'all', of: [i % 2 === 0 ? exactPath(`/${i}`) : pathBelow(`/${i}/`), methodOf('GET')] }, i),
  );
  const places = (rules: readonly AccessRule[], view: RequestView): readonly number[] =>
    rulesFor(rules, view).map(({ place }) => place);

  test('leaves out the rules of other paths, by the whole path and by its beginning', () => {
    expect(places(paths, viewOf({ path: '/4?x=/5/' }))).toEqual([4]);
    expect(places(paths, viewOf({ path: '/13/x' }))).toEqual([13]);
    expect(places(paths, viewOf({ path: '/4/x' }))).toEqual([]);
  });

  test('keeps the rules that no text tells, in their order', () => {
    const other = ruleOf({ kind: 'not', of: exactPath('/x') });
    const rules = [...paths.slice(0, 6), other, ...paths.slice(6), ruleOf({ kind: 'any' })];
    expect(places(rules, viewOf({ path: '/4' }))).toEqual([4, 6, 21]);
    expect(places(rules, viewOf({ path: '/8' }))).toEqual([6, 9, 21]);
  });

  test('finds a rule by each of its alternatives, and once where two of them hold', () => {
    const either = ruleOf({ kind: 'some', of: [exactPath('/a/b'), pathBelow('/a/')] });
    const rules = [...paths, either];
    expect(places(rules, viewOf({ path: '/a/b' }))).toEqual([20]);
    expect(places(rules, viewOf({ path: '/a/c' }))).toEqual([20]);
    expect(places(rules, viewOf({ path: '/a' }))).toEqual([]);
  });

  test('goes by the property that fewest rules share', () => {
    const rules = Array.from({ length: 20 }, (_, i) =>
      ruleOf({ kind: 'all', of: [exactPath('/all'), addressIn('direct-remote-ip', `10.${i}.0.0/15`)] }, i),
    );
    expect(places(rules, viewOf({ path: '/all', source: '10.7.1.1' }))).toEqual([6, 7]);
    expect(places(rules, viewOf({ path: '/all', source: '10.40.1.1' }))).toEqual([]);
  });

  test('tries all rules where most of them are found by no text', () => {
    const others = Array.from({ length: 11 }, () => ruleOf({ kind: 'not', of: exactPath('/x') }));
    const rules = [...paths.slice(0, 10), ...others];
    expect(places(rules, viewOf({ path: '/4' }))).toHaveLength(21);
    expect(places(rules.slice(0, 20), viewOf({ path: '/4' }))).toHaveLength(11);
  });

  test.each<[string, Condition, Partial<SeenRequest>]>([
    ['an absent header counts as empty', headerIs('x-a', new StringMatch('exact', ''), false, true), {}],
    ['a header must not be so', headerIs('x-a', new StringMatch('exact', 'x'), true), { headers: [['x-a', 'y']] }],
    ['a value is no ASCII', headerIs('x-a', new StringMatch('exact', 'é')), { headers: [['x-a', '\xc3\xa9']] }],
    ['a beginning is no ASCII', headerIs('x-a', new StringMatch('prefix', 'é')), { headers: [['x-a', '\xc3\xa9x']] }],
    ['case does not count', pathIs(new StringMatch('exact', '/A', true)), { path: '/a' }],
  ])('keeps a rule where %s', (_title, met, request) => {
    expect(places([...paths, ruleOf(met)], viewOf(request))).toEqual([20]);
  });

  test('keeps rules that compare a header whose value is not known', () => {
    const reading = ruleOf({ kind: 'all', of: [exactPath('/x'), headerIs('x-id', new StringMatch('exact', '1'))] });
    const rules = [...paths, reading];
    expect(places(rules, viewOf({ path: '/4' }))).toEqual([4]);
    expect(places(rules, viewOf({ path: '/4', opaque: ['x-id'] }))).toEqual([4, 20]);
  });
});

describe('judge', () => {
  test('decides by the same rule as trying all rules one after the other', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(accessRules, requests, (judged, request) => {
        const verdict = judge(judged, viewOf(request));
        expect(verdict).toEqual(judgePlainly(judged, viewOf(request)));
        const kind = verdict.kind === 'unmodelled' ? 'unmodelled' : verdict.rule === undefined ? 'none' : 'rule';
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }),
      runs(1_000),
    );
    expect([...seen.keys()].sort()).toEqual(['none', 'rule', 'unmodelled']);
  });

  test('assumes the same of what is not known, in the same order', () => {
    let asked = 0;
    fc.assert(
      fc.property(accessRules, requests, unknowns, (judged, request, { knows, is, told, isCoarse, assumed }) => {
        const both = [judge, judgePlainly].map((by) => {
          const questions: string[] = [];
          const ask = (...question: readonly string[]): boolean =>
            assumed[questions.push(question.join(' ')) % assumed.length] ?? false;
          const blanks: Blanks = {
            ...{ knows, isCoarse, ask, takenParameters: new Set() },
            peer: { address: '10.1.2.3', is },
          };
          const verdict = by(judged, viewOf({ ...request, told }, blanks));
          asked += questions.length;
          return { verdict, questions };
        });
        expect(both[0]).toEqual(both[1]);
      }),
      runs(1_000),
    );
    // As few draws as a quick run has ask 100 times, more or less.
    expect(asked).toBeGreaterThan(30);
  });
});

function judgePlainly({ action, rules }: AccessRules, view: RequestView): AccessVerdict {
  for (const rule of rules) {
    if (rule.gap !== undefined) return { kind: 'unmodelled', at: rule.gap };
    const unknown = view.blanks === undefined && rule.readsHeaders.find((name) => view.opaque.includes(name));
    const isMet = unknown ? knownTruth(rule.condition, view) : holds(rule.condition, view);
    if (isMet === undefined)
      return { kind: 'unmodelled', at: `the value of the header ${unknown}, which ${rule.name} compares` };
    if (isMet) return { kind: action === 'DENY' ? 'denied' : 'passed', rule };
  }
  return { kind: action === 'ALLOW' ? 'denied' : 'passed', rule: undefined };
}
