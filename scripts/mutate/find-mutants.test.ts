import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Mutant {
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

interface Equivalent {
  readonly file: string;
  readonly at: string;
  readonly before: string;
  readonly after: string;
}

const { findMutants }: { findMutants(file: string, text: string): readonly Mutant[] } = await import(
  new URL('find-mutants.mjs', import.meta.url).href
);
const { equivalents }: { readonly equivalents: readonly Equivalent[] } = await import(
  new URL('equivalents.mjs', import.meta.url).href
);

const changesOf = (text: string): readonly string[] =>
  findMutants('a.ts', text).map(({ before, after }) => `${before} → ${after}`);

describe('findMutants', () => {
  test.each([
    ['a && b < 2', ['&& → ||', '< → <=', '2 → 3']],
    ['x = !c ? 1 : y', ['!c → true', '!c → false', '1 → 2', '! → ']],
    ['f();', ['f(); → ;']],
    ["log.warn('x', { count: a + 1 });", ["log.warn('x', { count: a + 1 }); → ;"]],
    ['z = [a, b]', ['a,  → ', ', b → ']],
    ['w = s.startsWith(t)', ['startsWith → endsWith']],
    ['v = true', ['true → false']],
  ])('changes what "%s" decides and does', (text, expected) => {
    expect([...changesOf(text)].sort()).toEqual([...expected].sort());
  });

  test.each([
    "throw new Error(a === b ? 'x' : 'y')",
    "t = log.warn('x', { count: a + 1 })",
    "t = 'file' + (n === 1 ? '' : 's')",
    "u = 'a' + b",
    "import { a } from './b.ts'",
    'type A = 1 | true',
  ])('leaves the wording of messages, types and imports alone: %s', (text) => {
    expect(changesOf(text)).toEqual([]);
  });
});

test.each(equivalents)('a run can still make the harmless change of $file, "$at"', (known) => {
  const text = readFileSync(known.file, 'utf8');
  const lines = text.split('\n');
  const found = findMutants(known.file, text).filter(
    ({ line, before, after }) =>
      lines[line - 1]?.includes(known.at) === true && before === known.before && after === known.after,
  );
  expect(found).toHaveLength(1);
});
