import type { JsonPath } from '../../diagnostics/span.ts';
import type { TrafficBlocks } from '../../policy/destination-rule.ts';
import type { Report } from '../rule.ts';

const noLimit = 'sets no limit';

/** Fields of which 0 does not mean "none", as it reads, and what it means. */
const zeros: readonly (readonly [path: readonly string[], meaning: string])[] = [
  [['connectionPool', 'tcp', 'maxConnections'], noLimit],
  [['connectionPool', 'http', 'http1MaxPendingRequests'], noLimit],
  [['connectionPool', 'http', 'http2MaxRequests'], noLimit],
  [['connectionPool', 'http', 'maxRetries'], `${noLimit}; to switch retries off, write "attempts: 0" in the route`],
  [['connectionPool', 'http', 'maxConcurrentStreams'], noLimit],
  [
    ['connectionPool', 'tcp', 'tcpKeepalive', 'probes'],
    'keeps the number of the mesh configuration, or else of the kernel',
  ],
  [['loadBalancer', 'consistentHash', 'minimumRingSize'], 'means 1024'],
  [['loadBalancer', 'consistentHash', 'ringHash', 'minimumRingSize'], 'means 1024'],
  [
    ['outlierDetection', 'consecutiveErrors'],
    'counts as not set; to switch off ejection after 5xx responses, write "consecutive5xxErrors: 0"',
  ],
  [['outlierDetection', 'maxEjectionPercent'], "means Envoy's default of 10"],
];

/** Zeros that count as not set, as in Istio, where a reader takes them for a bound. */
export function checkZeros(blocks: TrafficBlocks, path: JsonPath, report: Report): void {
  for (const [field, meaning] of zeros) {
    if (valueAt(blocks, field) === 0)
      report('zero-is-not-set', [...path, ...field], { field: field.at(-1) ?? '', meaning });
  }
}

function valueAt(node: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], node);
}
