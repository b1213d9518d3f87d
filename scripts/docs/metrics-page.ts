import { type Metric, metricTable } from '../../src/agent/metrics/metric-table.ts';
import { readSpecification } from './evidence.ts';
import { code, table } from './markdown.ts';

const introduction = `# Metrics of the agent

\`GET /stats/prometheus\` on the status port (15020) returns these metrics in Prometheus' text format, together with those of
Envoy and of the application. Series with known labels start at 0; the others appear with their first event. Written by
\`make docs\` from \`src/agent/metrics/metric-table.ts\`.
`;

const notes = `Metrics of the compiler (\`endpoint_no_pod\`, the \`pilot_…\` gauges) are set by each successful compilation. Conflicts are
counted for this proxy; endpoints, pods and virtual services for all inputs. \`total_active_connections\` and
\`total_stale_connections\` are counters in Istio; their values can decrease, so they are gauges here.
\`pilot_total_rejected_configs\` increases when an object begins to be rejected: a Gateway with a server that conflicts with
others, or an object whose change is not applied. \`outgoing_latency\` is in milliseconds.
`;

const labelValues = `| label of a metric | value | meaning |
|---|---|---|
| \`reason\` of \`mesh_agent_reload_failures_total\` | \`invalid\` | the changed inputs don't compile |
| | \`unusable\` | they compile, but this proxy can't use the result: it needs a certificate that the proxy lacks, for example |
| | \`envoy-refused\` | Envoy rejected the configuration |
| | \`not-shown\` | Envoy did not confirm the configuration in time |
| | \`world\` | environment error, such as a full disk or an unreadable file |
| \`state\` of \`mesh_agent_state\` | \`init\`, \`configuring\`, \`starting\` | before Envoy serves: reading settings, compiling, starting Envoy |
| | \`running\` | Envoy serves |
| | \`backing-off\` | Envoy exited by itself, and is restarted after a delay |
| | \`draining\`, \`stopping\`, \`exited\` | the proxy stops |
`;

/** Every metric of the agent, the specification's first; then those of the specification that are not the agent's. */
export function metricsPage(): string {
  const specified = readSpecification().metrics;
  const names = new Set(specified.map(({ name }) => name));
  const metrics: readonly Metric[] = metricTable;
  const rest = specified.filter(({ name }) => !metrics.some((metric) => metric.name === name)).map(({ name }) => name);
  return [
    introduction,
    `## Metrics that Istio has too\n\n${metricRows(metrics.filter(({ name }) => names.has(name)))}\n`,
    notes,
    `## Further metrics of the agent\n\n${metricRows(metrics.filter(({ name }) => !names.has(name)))}\n`,
    labelValues,
    `## Metrics of Istio's control plane\n\n[meshd serve](meshd-serve.md#metrics) counts injections in these metrics, which the agent does not have: ${rest.map(code).join(', ')}.\n`,
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
