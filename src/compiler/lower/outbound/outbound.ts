import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import type { ListenerIR } from '../../ir/listener.ts';
import type { ConflictIR, OutboundIR } from '../../ir/proxy.ts';
import type { UpstreamTransport } from '../../ir/tls.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import { protocolClass } from '../../topology/protocol.ts';
import { blackHoleCluster, passthroughCluster } from '../clusters/plain-clusters.ts';
import { serviceClusters } from '../clusters/service-clusters.ts';
import type { Lowering } from '../lowering.ts';
import { wildcardAddresses } from '../wildcard.ts';
import { type ListenerDraft, ListenerDrafts } from './draft.ts';
import { outboundListener } from './listener.ts';
import { placements } from './placement.ts';
import { outboundRoutes } from './routes.ts';
import { virtualOutbound } from './virtual-outbound.ts';

/** What every proxy of a client scope does towards the services that the scope sees. A router's listeners are its own. */
export function lowerOutbound(
  scope: ClientScope,
  services: readonly EffectiveOutbound[],
  lowering: Lowering,
  bag: DiagnosticBag,
): OutboundIR {
  return lowering.memo.of([services], `outbound ${scope.key}`, bag, (own) => {
    const { clusters, conflicts } = outboundClusters(scope, services, lowering, own);
    if (scope.role === 'router') return { listeners: [], routes: [], clusters, conflicts: sortedConflicts(conflicts) };

    const { settings, memo } = lowering;
    const drafts = new ListenerDrafts(wildcardAddresses(scope.families), settings.sniffOutbound, own);
    for (const outbound of services) {
      for (const port of outbound.service.ports) {
        for (const placement of placements(outbound, port, scope, settings)) drafts.add(placement);
      }
    }
    const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
    const listeners = [...drafts.drafts.values()].map((draft) => listenerOf(draft, byName, lowering, own));
    const fixed = memo.of([settings], `virtualOutbound ${scope.families.join()} ${scope.interceptionMode}`, own, () =>
      virtualOutbound(scope, settings),
    );
    const routed = outboundRoutes(drafts.drafts.values(), scope, lowering, own);
    return {
      listeners: sortedBy([fixed, ...listeners], ({ name }) => name),
      routes: sortedBy(routed.routes, ({ name }) => name),
      clusters,
      conflicts: sortedConflicts([...conflicts, ...drafts.conflicts, ...routed.conflicts]),
    };
  });
}

function outboundClusters(
  scope: ClientScope,
  services: readonly EffectiveOutbound[],
  lowering: Lowering,
  bag: DiagnosticBag,
): { clusters: readonly ClusterIR[]; conflicts: readonly ConflictIR[] } {
  const { settings, memo } = lowering;
  const byName = new Map<string, ClusterIR>();
  const fixed = memo.of([settings], 'fixed clusters', bag, () => [
    blackHoleCluster(settings),
    passthroughCluster(settings),
  ]);
  for (const cluster of fixed) byName.set(cluster.name, cluster);
  const conflicts: ConflictIR[] = [];
  for (const outbound of services) {
    for (const subset of serviceClusters(outbound, scope, lowering, bag)) {
      conflicts.push(...subset.conflicts);
      for (const cluster of subset.clusters) {
        if (byName.has(cluster.name)) conflicts.push({ metric: 'pilot_duplicate_envoy_clusters', key: cluster.name });
        else byName.set(cluster.name, cluster);
      }
    }
  }
  return { clusters: sortedBy(byName.values(), ({ name }) => name), conflicts };
}

function listenerOf(
  draft: ListenerDraft,
  clusters: ReadonlyMap<string, ClusterIR>,
  lowering: Lowering,
  bag: DiagnosticBag,
): ListenerIR {
  const [http] = draft.http;
  const { fallback } = draft;
  const overridesAlpn = needsAlpnOverride(draft, clusters, lowering.settings.sniffOutbound);
  // A shared HTTP listener says nothing of its services' rules, so only who opened it counts.
  const inputs = [
    ...(http === undefined ? [] : [http.outbound.service]),
    ...(fallback === undefined ? [] : [fallback.outbound]),
    ...draft.matched.map(({ placement }) => placement.outbound),
  ];
  const shape = [
    draft.name,
    draft.addresses.join(),
    http?.routes ?? '',
    fallback === undefined ? '' : 'tcp',
    ...draft.matched.map(({ match }) => [...match.destinationPrefixes, ...match.serverNames].join()),
    String(overridesAlpn),
  ];
  const [first, ...rest] = inputs;
  if (first === undefined) throw new Error(`listener ${draft.name} has no owner`);
  return lowering.memo.of([first, ...rest], `listener ${shape.join(' ')}`, bag, () =>
    outboundListener(draft, overridesAlpn, lowering.settings),
  );
}

/**
 * A detected port's cluster offers the token for bytes; its HTTP requests must offer the one for HTTP. Servers outside
 * the mesh must not see either, so one of those on a shared listener keeps the clusters' own offers.
 */
function needsAlpnOverride(
  { http }: ListenerDraft,
  clusters: ReadonlyMap<string, ClusterIR>,
  isSniffing: boolean,
): boolean {
  let isNeeded = false;
  for (const { outbound, port } of http) {
    const isDetected = protocolClass(port.protocol, isSniffing) === 'auto';
    for (const { name } of outbound.subsets) {
      const transport = clusters.get(`outbound|${port.number}|${name}|${outbound.service.host}`)?.transport;
      if (transport === undefined) continue;
      if (transport.kind === 'tls' && transport.tls.kind === 'external') return false;
      if (isDetected && isMesh(transport)) isNeeded = true;
    }
  }
  return isNeeded;
}

function isMesh(transport: UpstreamTransport): boolean {
  return transport.kind === 'automatic' || (transport.kind === 'tls' && transport.tls.kind === 'mesh');
}

function sortedConflicts(conflicts: readonly ConflictIR[]): readonly ConflictIR[] {
  const unique = new Map(conflicts.map((conflict) => [`${conflict.metric} ${conflict.key}`, conflict]));
  return sortedBy(
    unique.values(),
    ({ metric }) => metric,
    ({ key }) => key,
  );
}
