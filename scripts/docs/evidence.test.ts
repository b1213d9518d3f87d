import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { listenForSignals } from '../../src/agent/life/signals.ts';
import { runPilotAgent } from '../../src/cli/agent/pilot-agent.ts';
import { unsupportedVariables } from '../../src/cli/agent/refuse.ts';
import { readSettings } from '../../src/config/read.ts';
import { DiagnosticBag } from '../../src/diagnostics/bag.ts';
import { planFiles } from '../../src/output/plan.ts';
import { compileFixture, readFixture } from '../../src/testing/fixture.ts';
import { identifiers, readEvidence, readSpecification, reasons, refusedByName, testsOf } from './evidence.ts';
import { isThere, parseTestReference } from './test-reference.ts';

const evidence = readEvidence();

describe('evidence', () => {
  test('names only lines of the specification, each once', () => {
    const known = new Set(identifiers(readSpecification()));
    const named = [...readFileSync('fixtures/conformance.json', 'utf8').matchAll(/^ {2}"([^"]+)":/gm)].map(
      ([, id]) => id,
    );
    expect(named.filter((id = '') => !known.has(id))).toEqual([]);
    expect(named).toEqual(Object.keys(evidence));
  });

  test('names only tests that exist', () => {
    const missing = Object.entries(evidence).flatMap(([id, line]) =>
      testsOf(line)
        .filter((text) => !isThere(parseTestReference(text)))
        .map((text) => `${id}: ${text}`),
    );
    expect(missing).toEqual([]);
  });

  test('gives the reason why a line is shown in part', () => {
    const inPart = Object.entries(evidence).filter(([, line]) => testsOf(line).length > 0 && line.note !== undefined);
    expect(inPart.filter(([, { note }]) => !reasons.some((reason) => note?.startsWith(reason)))).toEqual([]);
  });

  test('says something of every line that it holds', () => {
    expect(Object.entries(evidence).filter(([, { test: shown, note }]) => !shown && !note)).toEqual([]);
  });
});

describe('isThere', () => {
  const file = 'scripts/docs/evidence.test.ts';
  test.each([
    [`${file}: names only tests that exist`, true],
    [`${file}: holds for %s: %s [a row: of a table]`, true],
    [`${file}: holds for %s: %s [settings-http10]`, true],
    [`${file}: names only tests`, false],
    [`${file}: holds for %s: %s [no ${'such'} row]`, false],
    [`scripts/docs/evidence.ts: names only tests that exist`, false],
    [`scripts/docs/absent.test.ts: names only tests that exist`, false],
  ])('holds for %s: %s', (text, expected) => {
    expect(isThere(parseTestReference(text))).toBe(expected);
  });
});

/** A case that does not change when its variable goes shows nothing. */
describe('a case that shows a variable', () => {
  const shown = Object.entries(evidence).flatMap(([id, line]) =>
    testsOf(line)
      .map(parseTestReference)
      .filter(({ path }) => id.startsWith('variable/') && path === 'src/compiler/golden.test.ts')
      .map(({ row = '' }) => [id.slice('variable/'.length), row] as const),
  );

  test.each(shown)('%s changes what %s gives', async (variable, name) => {
    const fixture = await readFixture('fixtures/ok', name);
    const { variables = {}, flags } = JSON.parse(readFileSync(`fixtures/ok/${name}/case.json`, 'utf8'));
    expect(variables).toHaveProperty(variable);
    const environment = { ...variables, [variable]: undefined };
    const bag = new DiagnosticBag();
    const { settings } = await readSettings({ meshConfig: undefined, environment, flags }, bag);
    const filesOf = (it: typeof fixture): string[] =>
      [...planFiles(compileFixture(it)!, { files: it.sources })].map(({ text }) => text);
    expect(filesOf({ ...fixture, settings, bag })).not.toEqual(filesOf(fixture));
  });
});

/** A line that fails here is supported now, or refused no more: it has a test of its own, or is open without a note. */
describe(`"${refusedByName}"`, () => {
  const noted = (prefix: string): string[] =>
    Object.entries(evidence)
      .filter(([id, { note }]) => id.startsWith(prefix) && note?.startsWith(refusedByName))
      .map(([id]) => id.slice(prefix.length));
  const { variables } = readSpecification();

  test('stands at the variables of the agent that it refuses', () => {
    const names = variables
      .map(({ name }) => name)
      .filter((name) => unsupportedVariables({ [name]: 'asked for' }).length > 0);
    expect(noted('variable/')).toEqual(names);
  });

  test('stands at no flag: the agent obeys all of them', () => {
    expect(noted('flag/')).toEqual([]);
  });

  test('stands at no command that runs', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const context = { environment: {}, signals: listenForSignals(new EventEmitter()) };
    for (const command of noted('command/')) {
      await runPilotAgent([command.replace('pilot-agent ', '')], context);
      expect(write).toHaveBeenLastCalledWith(expect.stringContaining('not supported yet'));
    }
    write.mockRestore();
  });

  test('stands at the fields of kinds that no compilation takes', () => {
    const refusals = readdirSync('golden/err').map((name) =>
      readFileSync(`golden/err/${name}/diagnostics.txt`, 'utf8'),
    );
    const isRefused = (kind: string): boolean =>
      refusals.some((text) => new RegExp(`error: ${kind} "[^"]+" is not yet compiled`).test(text));
    expect(noted('field/').filter((field) => !isRefused(field.slice(0, field.indexOf('/'))))).toEqual([]);
  });
});
