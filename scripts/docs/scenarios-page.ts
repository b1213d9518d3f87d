import { readFileSync } from 'node:fs';
import { shownTest } from './incidents-page.ts';
import { table } from './markdown.ts';

/** A situation that `pilot-agent` must master, and the tests that bring it about. */
export interface Scenario {
  /** From 1 on, without holes; some tests have the number in their names. */
  readonly scenario: number;
  /** The situation, a colon, and what happens. */
  readonly is: string;
  /** In the form that `parseTestReference` reads. */
  readonly tests: readonly string[];
}

export function readScenarios(): readonly Scenario[] {
  return JSON.parse(readFileSync('fixtures/scenarios.json', 'utf8')) as Scenario[];
}

/** What the agent is held to in its usual and unusual situations. */
export function scenariosPage(): string {
  const introduction =
    'Written by `make docs` from `fixtures/scenarios.json`: situations of `pilot-agent`, what happens in each, and the ' +
    'tests that show it. Where Istio ends with 255, wrong usage is 2 here and a failure of the world 3.';
  const rows = readScenarios().map(({ scenario, is, tests }) => [
    String(scenario),
    is,
    tests.map(shownTest).join('; '),
  ]);
  return `# Scenarios of the agent\n\n${introduction}\n\n${table(['', 'scenario', 'shown by'], rows)}\n`;
}
