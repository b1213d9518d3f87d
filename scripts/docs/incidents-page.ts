import { readFileSync } from 'node:fs';
import { code, table } from './markdown.ts';
import { parseTestReference } from './test-reference.ts';
import { testTitle } from './test-title.ts';

/** Something that went wrong in a mesh, and the tests that hold that it does not here. */
export interface Incident {
  /** Where it is told. */
  readonly incident: string;
  readonly was: string;
  /** In the form that `parseTestReference` reads. */
  readonly tests: readonly string[];
}

export function readIncidents(): readonly Incident[] {
  return JSON.parse(readFileSync('fixtures/incidents.json', 'utf8')) as Incident[];
}

/** What went wrong elsewhere, and what keeps it from going wrong here. */
export function incidentsPage(): string {
  const introduction =
    'Known vulnerabilities (CVEs) and bugs of other meshes and proxies, and faults found by attacking this one. ' +
    'Each row says what went wrong, and which regression tests (file, group and title; `%s` and `$name` stand for the values of a table of cases) show that it does not happen now. Written by ' +
    '`make docs` from `fixtures/incidents.json`.';
  const rows = readIncidents().map(({ incident, was, tests }) => [incident, was, tests.map(shownTest).join('; ')]);
  return `# Incidents\n\n${introduction}\n\n${table(['incident', 'what happened', 'regression tests'], rows)}\n`;
}

/** File and title of a test, its first hole filled with its row. */
export function shownTest(text: string): string {
  return code(testTitle(parseTestReference(text)));
}
