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
    'How `pilot-agent` behaves in specific situations, with the tests that show it (file, group and title; `%s`, `%j` and `%i` stand for the values of a table of cases). A usage error ends it with exit code 2, an ' +
    'environment error with 3; Istio exits with 255 for both. Written by `make docs` from `fixtures/scenarios.json`.';
  const rows = readScenarios().map(({ scenario, is, tests }) => [
    String(scenario),
    is,
    tests.map(shownTest).join('; '),
  ]);
  return `# Scenarios of the agent\n\n${introduction}\n\n${table(['number', 'situation: expected behaviour', 'tests'], rows)}\n`;
}
