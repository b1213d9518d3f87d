import { type Metric, metricTable } from '../../src/agent/metrics/metric-table.ts';
import { readSpecification } from './evidence.ts';
import { code, table } from './markdown.ts';

const introduction = `# Metrics of the agent

Written by \`make docs\` from \`src/agent/metrics/metric-table.ts\`.

\`GET /stats/prometheus\` of the status port (15020) gives them in Prometheus' text format, beside those of Envoy and of
the application. Series whose labels are known start at 0 with the agent; the others appear with their first event.
`;

const notes = `What belongs to compiling (\`endpoint_no_pod\`, \`pilot_…\` gauges) is set anew by each compilation that gave a
configuration. Clashes are those of this proxy; endpoints, pods and virtual services are those of all inputs.
\`total_active_connections\` and \`total_stale_connections\` are sums in the specification; they go down again, and are
gauges here. \`pilot_total_rejected_configs\` moves when an object begins to be rejected: a Gateway of which a server finds
no place, or an object whose change is not taken over. \`outgoing_latency\` is in milliseconds.
`;

/** Every metric of the agent, the specification's first; then those of the specification that are not the agent's. */
export function metricsPage(): string {
  const specified = readSpecification().metrics;
  const names = new Set(specified.map(({ name }) => name));
  const metrics: readonly Metric[] = metricTable;
  const rest = specified.filter(({ name }) => !metrics.some((metric) => metric.name === name)).map(({ name }) => name);
  return [
    introduction,
    `## Of the specification\n\n${metricRows(metrics.filter(({ name }) => names.has(name)))}\n`,
    notes,
    `## Of the agent\n\n${metricRows(metrics.filter(({ name }) => !names.has(name)))}\n`,
    `## Not the agent's\n\nThe control plane's: ${rest.map(code).join(', ')}.\n`,
  ].join('\n');
}

function metricRows(metrics: readonly Metric[]): string {
  const rows = metrics.map(({ name, type, help, labels = {} }) => [code(name), type, labelsText(labels), help]);
  return table(
    ['metric', 'type', 'labels', 'meaning'],
    rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
}

function labelsText(labels: NonNullable<Metric['labels']>): string {
  const texts = Object.entries(labels).map(([label, values]) =>
    values.length === 0 ? code(label) : `${code(label)}: ${values.map(code).join(', ')}`,
  );
  return texts.length === 0 ? '–' : texts.join('; ');
}
