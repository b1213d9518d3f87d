import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { Texts } from './pod.ts';

/** What a pod with a proxy says to Prometheus, and what the agent is told of the application's own metrics. */
export interface MergedMetrics {
  /** Annotations that take the place of the pod's. */
  readonly annotations: Texts;
  /** MESH_METRICS_ANNOTATIONS; undefined: the application has no metrics. */
  readonly ofApplication: string | undefined;
}

const domain = 'prometheus.io';

/**
 * Leads Prometheus to the status port, where the agent adds the application's metrics to the proxy's. What the pod said
 * before goes to the agent. A pod whose annotations name a port of the proxy keeps them.
 */
export function mergeMetrics(
  annotations: Texts,
  statusPort: number,
  reservedPorts: ReadonlySet<number>,
  bag: DiagnosticBag,
): MergedMetrics {
  const { [`${domain}/scrape`]: scrape, [`${domain}/path`]: path, [`${domain}/port`]: port } = annotations;
  if (port !== undefined && reservedPorts.has(Number(port))) return { annotations: {}, ofApplication: undefined };
  const isScraped = scrape !== undefined && /^true$/i.test(scrape);
  if (isScraped) {
    const refuse = (key: string, value: string, expected: string): void =>
      bag.report('invalid-injection-annotation', undefined, { annotation: `${domain}/${key}`, value, expected });
    if (port !== undefined && !isPort(port)) refuse('port', port, 'a port from 1 to 65535');
    if (path !== undefined && !/^[\x21-\x7e]*$/.test(path)) refuse('path', path, 'a path of visible ASCII characters');
  }
  const fields = { scrape: 'true', ...(path === undefined ? {} : { path }), ...(port === undefined ? {} : { port }) };
  return {
    annotations: {
      [`${domain}/scrape`]: 'true',
      [`${domain}/path`]: '/stats/prometheus',
      [`${domain}/port`]: String(statusPort),
    },
    ofApplication: isScraped ? JSON.stringify(fields) : undefined,
  };
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}
