import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { numbersWithoutRule } from '../lint/numbers/numbers.ts';
import { allRules } from '../lint/rule-index.ts';
import type { CliIo } from './io.ts';
import { runRules } from './rules-command.ts';
import { run as meshpol } from './testing/run-meshpol.ts';

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

test.each(catalogue)('"meshpol rules $id" explains $title', async ({ id, title }) => {
  const answer = await answerTo(id.toLowerCase());
  expect(answer).toContain(id);
  expect(answer.toLowerCase()).toContain(title.toLowerCase());
  const reasons = numbersWithoutRule.filter((it) => it.id === id).map((it) => ('leftOut' in it ? it.leftOut : ''));
  for (const reason of reasons) expect(answer).toContain(reason);
});

describe('meshpol rules', () => {
  test('lists the rules, finds one by code or number, and those of another tool', async () => {
    expect((await meshpol('rules')).out).toMatch(/^allow-every-request +MP304 +warning /m);
    expect((await meshpol('rules mp304')).out).toBe((await meshpol('rules allow-every-request')).out);
    expect((await meshpol('rules --from kia0102')).out).toMatch(/^method-in-wrong-case /);
  });

  test('explains what the compiler reports, by number, by code and by the code of another tool, and what is left out', async () => {
    expect((await meshpol('rules mp002')).out).toMatch(
      /^MP002, IST0106, IST0133[\s\S]*unknown field "<field>" in <where>/,
    );
    expect((await meshpol('rules unknown-field')).out).toMatch(/^unknown-field \(error of the compiler\)/);
    expect((await meshpol('rules --from IST0106')).out).toMatch(/^MP002 .*\nMP003 /);
    expect((await meshpol('rules MP808')).out).toContain('Left out, because the inputs do not contain the sockets');
  });

  test.each([
    ['rules alow-every-request', 'did you mean "allow-every-request"?'],
    ['rules --from IST9999', 'no rule stands for "IST9999"'],
    ['rules MP304 --from IST0101', 'exclude each other'],
  ])('says what is wrong with %j', async (args, text) => {
    const { code, error } = await meshpol(args);
    expect([code, error.includes(text) || error]).toEqual([2, true]);
  });
});
