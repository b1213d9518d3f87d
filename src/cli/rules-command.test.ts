import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { numbersWithoutRule } from '../lint/numbers/numbers.ts';
import { allRules } from '../lint/rule-index.ts';
import type { CliIo } from './io.ts';
import { runRules } from './rules-command.ts';

/** What the catalogue of lint has under each number: kept by hand, so that a number that goes missing is noticed. */
const catalogue: readonly { readonly id: string; readonly title: string }[] = JSON.parse(
  readFileSync('fixtures/lint-numbers.json', 'utf8'),
);

async function answerTo(name: string): Promise<string> {
  const parts: string[] = [];
  const writeOut = async (part: string): Promise<void> => void parts.push(part);
  await runRules(name, {}, { writeOut } as CliIo);
  return parts.join('');
}

test('the catalogue of lint has each number once, and no number without a rule, a diagnostic or a reason', () => {
  const known = [...allRules, ...numbersWithoutRule].map(({ id }) => id).sort();
  expect(known).toEqual(catalogue.map(({ id }) => id));
  expect(new Set(known).size).toBe(known.length);
});

test.each(catalogue)('"meshpol rules $id" tells of $title', async ({ id, title }) => {
  const answer = await answerTo(id.toLowerCase());
  expect(answer).toContain(id);
  expect(answer.toLowerCase()).toContain(title.toLowerCase());
  const reasons = numbersWithoutRule.filter((it) => it.id === id).map((it) => ('leftOut' in it ? it.leftOut : ''));
  for (const reason of reasons) expect(answer).toContain(reason);
});
