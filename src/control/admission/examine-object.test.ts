import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorsOf, fixtureObjects } from '../../definitions/testing/fixture-objects.ts';

type Cases = Readonly<Record<string, readonly string[]>>;
const factsIn = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Cases>>;

test('finds the errors of each case of fixtures/err, but for those that fixtures/beyond-one-object.json lists with a reason', async () => {
  const { refused = {} } = factsIn('fixtures/server-checks.json');
  const found = new Map<string, Set<string>>();
  for (const { fixture, value } of fixtureObjects('fixtures/err')) {
    const codes = found.get(fixture) ?? new Set();
    for (const code of await errorsOf(value)) codes.add(code);
    found.set(fixture, codes);
  }
  const left: Record<string, readonly string[]> = {};
  for (const fixture of readdirSync('fixtures/err')) {
    // Of these the definitions of the kinds tell.
    if (refused[fixture] !== undefined) continue;
    const codes = compiledErrors(fixture).filter((code) => !found.get(fixture)?.has(code));
    if (codes.length > 0) left[fixture] = codes;
  }
  const reasons = factsIn('fixtures/beyond-one-object.json');
  const listed = Object.values(reasons).flatMap((cases) => Object.entries(cases));
  expect(left).toEqual(Object.fromEntries(listed));
  // None has two reasons.
  expect(listed).toHaveLength(Object.keys(left).length);
});

/** Codes of the errors that the compiler finds in a case, sorted. */
function compiledErrors(fixture: string): readonly string[] {
  const golden = join('golden/err', fixture, 'diagnostics.txt');
  const text = existsSync(golden) ? readFileSync(golden, 'utf8') : '';
  return [...new Set([...text.matchAll(/: error: .*\[([a-z\d-]+)\]$/gm)].map(([, code = '']) => code))].sort();
}
