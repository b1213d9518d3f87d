import { attacksPage } from './attacks-page.ts';
import { conformancePage } from './conformance-page.ts';
import { diagnosticsPage } from './diagnostics-page.ts';
import { incidentsPage } from './incidents-page.ts';
import { metricsPage } from './metrics-page.ts';
import { scenariosPage } from './scenarios-page.ts';
import { variablesPage } from './variables-page.ts';

/** Every generated document: path from the repository's root, and its text. */
export function generatedDocuments(): readonly (readonly [path: string, text: string])[] {
  return [
    ['docs/attacks.md', attacksPage()],
    ['docs/conformance.md', conformancePage()],
    ['docs/diagnostics.md', diagnosticsPage()],
    ['docs/incidents.md', incidentsPage()],
    ['docs/metrics.md', metricsPage()],
    ['docs/scenarios.md', scenariosPage()],
    ['docs/variables.md', variablesPage()],
  ];
}
