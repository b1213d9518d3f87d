import type { JsonPath } from '../../diagnostics/span.ts';
import type { ClientTlsSettings, DestinationRule } from '../../policy/destination-rule.ts';

/** A `tls` block for all subsets of a rule's host. */
export interface ClientTls {
  readonly rule: DestinationRule;
  readonly tls: ClientTlsSettings;
  /** Of the block. */
  readonly path: JsonPath;
  /** Whether the block is that of the service port: an entry of `portLevelSettings` replaces the block of the rule. */
  isForPort(port: number): boolean;
}

/** The `tls` blocks of the rules, those of subsets left out. */
export function* clientTlsOf(rules: readonly DestinationRule[]): Iterable<ClientTls> {
  for (const rule of rules) {
    const { tls, portLevelSettings = [] } = rule.spec.trafficPolicy ?? {};
    const path = ['spec', 'trafficPolicy'];
    const own = new Set(portLevelSettings.map(({ port }) => port.number));
    if (tls) yield { rule, tls, path: [...path, 'tls'], isForPort: (port) => !own.has(port) };
    for (const [index, entry] of portLevelSettings.entries()) {
      if (entry.tls === undefined) continue;
      const isForPort = (port: number): boolean => port === entry.port.number;
      yield { rule, tls: entry.tls, path: [...path, 'portLevelSettings', index, 'tls'], isForPort };
    }
  }
}
