import { describe, expect, test } from 'vitest';
import { lineAndColumn, lineStarts } from '../diagnostics/span.ts';
import { applyFixes } from './apply-fixes.ts';
import type { Subject } from './finding.ts';
import { lint } from './lint.ts';
import { numbersWithoutRule } from './numbers/numbers.ts';
import type { Rule } from './rule.ts';
import { allRules } from './rule-index.ts';
import { casesOf, type Example, readExample, rulesWithCases } from './testing/cases.ts';

const isSentence = /^(?!.*\.$)[^\n]+$/;

/** Everything that is found in an example, on a day on which no suppression of an example that is to hold has expired. */
function lintExample({ path, text, snapshot }: Example) {
  return lint(snapshot, { files: [{ path, text }], today: '2026-06-30' }).findings;
}

/** What one rule finds in an example. */
function found(rule: Rule, example: Example) {
  return lintExample(example).filter(({ code }) => code === rule.code);
}

function linesOf(findings: ReturnType<typeof found>, { text }: Example): number[] {
  const starts = lineStarts(text);
  return findings.flatMap(({ span }) => (span ? [lineAndColumn(starts, span.start).line] : []));
}

/** The object and the field in which a finding's field stands: what its fix may change. */
function holderOf({ kind, namespace, name, path }: Subject): string {
  return [`${kind}/${namespace}/${name}`, ...path.slice(0, -1)].join(' ');
}

/** Where two values differ. */
function differences(before: unknown, after: unknown, path: string): string[] {
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) {
    return Object.is(before, after) ? [] : [path];
  }
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  const of = (value: object, field: string): unknown => (value as Record<string, unknown>)[field];
  return [...fields].flatMap((field) => differences(of(before, field), of(after, field), `${path} ${field}`));
}

describe.each(allRules)('the rule $code', (rule) => {
  const cases = casesOf(rule.code);

  test('has three shapes of its fault, each with a twin that has not the fault', () => {
    expect(cases.length).toBeGreaterThanOrEqual(3);
  });

  test('has metadata that reads as sentences without a full stop', () => {
    for (const text of [rule.title, rule.why, rule.hint]) expect(text).toMatch(isSentence);
    expect(rule.id).toMatch(/^MP\d{3}$/);
  });

  test.each(cases)('finds its fault in $shape, at the marked lines and nowhere else', async (shape) => {
    const example = await readExample(shape, 'bad');
    const findings = found(rule, example);
    expect(findings).not.toEqual([]);
    expect([...new Set(linesOf(findings, example))]).toEqual(example.marked);
    for (const { message } of findings) expect(message).toMatch(isSentence);
  });

  test.each(cases)('finds nothing in the twin of $shape', async (shape) => {
    const example = await readExample(shape, 'good');
    expect(found(rule, example).map(({ message }) => message)).toEqual([]);
  });

  test.each(cases)(
    'makes of $shape, where it can fix it, a text without that fault and no new one, and changes no other field',
    async (shape) => {
      const example = await readExample(shape, 'bad');
      const fixes = found(rule, example).flatMap(({ fix }) => fix ?? []);
      if (fixes.length === 0) return;
      const fixed = await readExample(shape, 'bad', applyFixes(example.path, example.text, fixes));
      expect(fixed.text).not.toBe(example.text);
      const meant = found(rule, example).flatMap(({ fix, subject }) => (fix && subject ? [holderOf(subject)] : []));
      const changed = example.snapshot.objects.flatMap(({ kind, namespace, name, document }, i) =>
        differences(document.value, fixed.snapshot.objects[i]?.document.value, `${kind}/${namespace}/${name}`),
      );
      expect(changed.filter((path) => !meant.some((place) => path.startsWith(place)))).toEqual([]);
      const before = new Set(lintExample(example).map(({ code }) => code));
      const after = lintExample(fixed).map(({ code }) => code);
      expect(after.filter((code) => code === rule.code || !before.has(code))).toEqual([]);
    },
  );
});

test('cases are there for rules alone', () => {
  expect(rulesWithCases()).toEqual(allRules.map(({ code }) => code));
});

test('rules have codes and numbers of their own, and no rule has a number that the compiler says', () => {
  expect(new Set(allRules.map(({ code }) => code)).size).toBe(allRules.length);
  const without = numbersWithoutRule.map(({ id }) => id);
  expect(new Set(without).size).toBe(without.length);
  expect(allRules.filter(({ id }) => without.includes(id)).map(({ code }) => code)).toEqual([]);
});
