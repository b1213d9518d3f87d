import { readFileSync } from 'node:fs';
import { accessLogPage } from './access-log-page.ts';
import { attacksPage } from './attacks-page.ts';
import { withCommands } from './command-pages.ts';
import { conformancePage } from './conformance-page.ts';
import { customResourcesPage } from './custom-resources-page.ts';
import { diagnosticsPage } from './diagnostics-page.ts';
import { fromIstioPage } from './from-istio-page.ts';
import { incidentsPage } from './incidents-page.ts';
import { indexPages, pagePaths } from './index-pages.ts';
import { kindsPage } from './kinds-page.ts';
import { lintRulesPage } from './lint-rules-page.ts';
import { meshConfigurationPage } from './mesh-configuration-page.ts';
import { metricsPage } from './metrics-page.ts';
import { withNextPage } from './next-page.ts';
import { pictures } from './pictures.ts';
import { scenariosPage } from './scenarios-page.ts';
import { variablesPage } from './variables-page.ts';

/** Pages whose whole text is made from code and data: path from the repository's root, and text. */
function generatedPages(): readonly (readonly [path: string, text: string])[] {
  return [
    ...indexPages(),
    ['docs/guides/from-istio.md', fromIstioPage()],
    ['docs/project/attacks.md', attacksPage()],
    ['docs/project/conformance.md', conformancePage()],
    ['docs/reference/diagnostics.md', diagnosticsPage()],
    ['docs/project/incidents.md', incidentsPage()],
    ['docs/reference/access-log.md', accessLogPage()],
    ['docs/reference/custom-resources.md', customResourcesPage()],
    ['docs/reference/kinds.md', kindsPage()],
    ['docs/reference/lint-rules.md', lintRulesPage()],
    ['docs/reference/mesh-configuration.md', meshConfigurationPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/project/scenarios.md', scenariosPage()],
    ['docs/reference/variables.md', variablesPage()],
  ];
}

/**
 * Every page and picture of the documentation with its text; of a page that is written by hand only the link to the next
 * page, and the synopsis and options of commands, are made.
 */
export function generatedDocuments(): readonly (readonly [path: string, text: string])[] {
  const generated = new Map(generatedPages());
  const pages = pagePaths().map(
    (path) => [path, withNextPage(path, generated.get(path) ?? withCommands(readFileSync(path, 'utf8')))] as const,
  );
  return [...pages, ...pictures()];
}
