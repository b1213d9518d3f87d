import { serveVariables } from '../../src/cli/control/variables.ts';
import { type ControlMetric, controlMetrics } from '../../src/control/server/metric-table.ts';
import { optionsOf, synopsisOf } from './command-options.ts';
import { code, table } from './markdown.ts';

/** Begins what is made from the program, up to the next heading: `<!-- synopsis of pilot-agent proxy -->`. */
const marker = /<!-- (synopsis|options|metrics|variables) of ([^>]*) -->\n[\s\S]*?(?=\n##)/g;

const makers: Readonly<Record<string, (name: string) => string>> = {
  synopsis: (name) => `\`\`\`text\n${synopsisOf(name)}\n\`\`\``,
  options: optionsOf,
  metrics: metricsOf,
  variables: variablesOf,
};

/** A page with what its markers name of a command: its synopsis, options, metrics and variables. */
export function withCommands(text: string): string {
  return text.replace(marker, (_, what: string, name: string) => {
    return `<!-- ${what} of ${name} -->\n\n${makers[what]?.(name)}\n`;
  });
}

/** Metrics of `meshd serve`; those of the agent have a page of their own. */
function metricsOf(name: string): string {
  if (name !== 'meshd serve') throw new Error(`no metrics of "${name}"`);
  const rows = Object.entries<ControlMetric>(controlMetrics).map(([metric, { type, labels = [], help }]) => [
    code(metric),
    type,
    labels.length === 0 ? '–' : labels.map(code).join(', '),
    help,
  ]);
  return table(['metric', 'type', 'labels', 'meaning'], rows);
}

/** Variables of `meshd serve`; those of the other programs have a page of their own. */
function variablesOf(name: string): string {
  if (name !== 'meshd serve') throw new Error(`no variables of "${name}"`);
  const rows = serveVariables.map((it) => [code(it.name), code(it.default ?? ''), it.description]);
  return table(['variable', 'default', 'description'], rows);
}

/** Headings of a command's page, in their order; `Description` may have parts of its own. */
export const commandHeadings: readonly string[] = [
  'Synopsis',
  'Description',
  'Options',
  'Examples',
  'Exit codes',
  'Environment',
  'See also',
];
