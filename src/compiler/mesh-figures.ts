import type { Diagnostic } from '../diagnostics/bag.ts';
import type { DiagnosticCode } from '../diagnostics/registry.ts';
import { sortedBy } from '../lib/sort.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { ConflictIR, OutboundIR, ProxyIR } from './ir/proxy.ts';
import type { Topology } from './topology/model.ts';

/**
 * What one compilation counted, by the specification's metric names. Counts of clashes are of distinct keys among the
 * compiled proxies; all others are of the whole mesh.
 */
export interface MeshFigures {
  readonly gauges: {
    readonly endpoint_no_pod: number;
    readonly pilot_conflict_inbound_listener: number;
    readonly pilot_conflict_outbound_listener_http_over_current_tcp: number;
    readonly pilot_conflict_outbound_listener_tcp_over_current_http: number;
    readonly pilot_conflict_outbound_listener_tcp_over_current_tcp: number;
    readonly pilot_destrule_subsets: number;
    readonly pilot_duplicate_envoy_clusters: number;
    readonly pilot_eds_no_instances: number;
    readonly pilot_endpoint_not_ready: number;
    readonly pilot_no_ip: number;
    readonly pilot_virt_services: number;
    readonly pilot_vservice_dup_domain: number;
  };
  /** Gateways of which a server found no place (`pilot_total_rejected_configs`), by namespace and name. */
  readonly rejected: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[];
}

/** `diagnostics` are those of the same compilation: what is warned of and what is counted cannot differ. */
export function meshFigures(
  { counts }: Topology,
  policies: PolicySet,
  proxies: readonly ProxyIR[],
  diagnostics: readonly Diagnostic[],
): MeshFigures {
  const keys = keysByMetric(proxies);
  const keysOf = (metric: ConflictIR['metric']): ReadonlySet<string> => keys.get(metric) ?? noKeys;
  const told = (code: DiagnosticCode): number =>
    new Set(diagnostics.filter((it) => it.code === code).map(({ message }) => message)).size;
  const listener = 'pilot_conflict_outbound_listener';
  return {
    gauges: {
      endpoint_no_pod: counts.endpointsWithoutPod,
      pilot_conflict_inbound_listener: told('conflicting-target-port'),
      pilot_conflict_outbound_listener_http_over_current_tcp: keysOf(`${listener}_http_over_current_tcp`).size,
      pilot_conflict_outbound_listener_tcp_over_current_http: keysOf(`${listener}_tcp_over_current_http`).size,
      pilot_conflict_outbound_listener_tcp_over_current_tcp: keysOf(`${listener}_tcp_over_current_tcp`).size,
      pilot_destrule_subsets: told('duplicate-subset'),
      pilot_duplicate_envoy_clusters: keysOf('pilot_duplicate_envoy_clusters').size,
      pilot_eds_no_instances: keysOf('pilot_eds_no_instances').size,
      pilot_endpoint_not_ready: counts.endpointsNotReady,
      pilot_no_ip: counts.podsWithoutIp,
      pilot_virt_services: policies.virtualServices.length,
      pilot_vservice_dup_domain: keysOf('pilot_vservice_dup_domain').size,
    },
    rejected: rejectedGateways(keysOf('pilot_total_rejected_configs')),
  };
}

const noKeys: ReadonlySet<string> = new Set();

/** Of the clashes of all proxies; a half that many of them share is looked into once. */
function keysByMetric(proxies: readonly ProxyIR[]): ReadonlyMap<ConflictIR['metric'], ReadonlySet<string>> {
  const keys = new Map<ConflictIR['metric'], Set<string>>();
  const parts = new Set<Pick<OutboundIR, 'conflicts'>>();
  for (const { inbound, outbound, assignments } of proxies)
    parts.add(inbound).add(outbound).add(assignments.inbound).add(assignments.outbound);
  for (const { conflicts = [] } of parts) {
    for (const { metric, key } of conflicts) {
      const known = keys.get(metric);
      if (known === undefined) keys.set(metric, new Set([key]));
      else known.add(key);
    }
  }
  return keys;
}

/** Their keys say `gateway <namespace>/<name>`. */
function rejectedGateways(keys: ReadonlySet<string>): MeshFigures['rejected'] {
  const gateways = [...keys].map((key) => {
    const [kind = '', object = ''] = key.split(' ');
    const [namespace = '', name = ''] = object.split('/');
    return { kind, namespace, name };
  });
  return sortedBy(
    gateways,
    ({ namespace }) => namespace,
    ({ name }) => name,
  );
}
