import { readFileSync } from 'node:fs';
import { attacksPage } from './attacks-page.ts';
import { conformancePage } from './conformance-page.ts';
import { diagnosticsPage } from './diagnostics-page.ts';
import { incidentsPage } from './incidents-page.ts';
import { indexPages, pagePaths } from './index-pages.ts';
import { metricsPage } from './metrics-page.ts';
import { withNextPage } from './next-page.ts';
import { scenariosPage } from './scenarios-page.ts';
import { variablesPage } from './variables-page.ts';

/** Pages whose whole text is made from code and data: path from the repository's root, and text. */
function generatedPages(): readonly (readonly [path: string, text: string])[] {
  return [
    ...indexPages(),
    ['docs/project/attacks.md', attacksPage()],
    ['docs/project/conformance.md', conformancePage()],
    ['docs/reference/diagnostics.md', diagnosticsPage()],
    ['docs/project/incidents.md', incidentsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/project/scenarios.md', scenariosPage()],
    ['docs/reference/variables.md', variablesPage()],
  ];
}

/** Every page of the documentation with its text; of a page that is written by hand only the link to the next page is made. */
export function generatedDocuments(): readonly (readonly [path: string, text: string])[] {
  const generated = new Map(generatedPages());
  return pagePaths().map((path) => [path, withNextPage(path, generated.get(path) ?? readFileSync(path, 'utf8'))]);
}
