import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import type { ListenerIR } from '../../ir/listener.ts';
import type { ConflictIR, OutboundIR } from '../../ir/proxy.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import { localityLabel } from '../clusters/locality-balancing.ts';
import { outboundClusters } from '../clusters/outbound-clusters.ts';
import type { Lowering } from '../lowering.ts';
import type { ListenerDraft } from './draft.ts';
import { withRouteFilters } from './listener-route-filters.ts';
import { draftListeners, outboundListeners } from './listeners.ts';
import { hasConnectionRoutes, MeshRoutes } from './mesh-routes.ts';
import { outboundRoutes } from './routes.ts';

/** What the routes of a scope are made from. */
export interface OutboundInput {
  readonly scope: ClientScope;
  /** Oldest first, as are the VirtualServices. */
  readonly services: readonly EffectiveOutbound[];
  readonly virtualServices: readonly EffectiveVirtualService[];
}

/** What every proxy of a client scope does towards the services that the scope sees. A router's listeners are its own. */
export function lowerOutbound(input: OutboundInput, lowering: Lowering, bag: DiagnosticBag): OutboundIR {
  const { scope, services, virtualServices } = input;
  return lowering.memo.of([services, virtualServices], `outbound ${scope.key}`, bag, (own) => {
    const meshRoutes = new MeshRoutes(virtualServices, services, scope, lowering);
    const { drafts, conflicts, listeners, clusters } = commonParts(input, meshRoutes, lowering, own);
    if (scope.role === 'router') return { listeners, routes: [], clusters, conflicts: sortedConflicts(conflicts) };
    const routed = outboundRoutes(drafts, scope, meshRoutes, lowering, own);
    return {
      listeners: withRouteFilters(listeners, routed.routes, lowering, own),
      routes: sortedBy(routed.routes, ({ name }) => name),
      clusters,
      conflicts: sortedConflicts([...conflicts, ...routed.conflicts]),
    };
  });
}

interface CommonParts {
  readonly drafts: readonly ListenerDraft[];
  readonly conflicts: readonly ConflictIR[];
  readonly listeners: readonly ListenerIR[];
  readonly clusters: readonly ClusterIR[];
}

/**
 * Clusters and listeners do not depend on the client's namespace, but where connections are routed: scopes that see the
 * same services share them.
 */
function commonParts(
  { scope, services, virtualServices }: OutboundInput,
  meshRoutes: MeshRoutes,
  lowering: Lowering,
  bag: DiagnosticBag,
): CommonParts {
  const { role, families, trustDomain, interceptionMode } = scope;
  const connections = virtualServices.filter(hasConnectionRoutes);
  const client = connections.length === 0 ? '' : `${scope.namespace} ${JSON.stringify(scope.labels)}`;
  const [first = services, ...rest] = [...services, ...connections];
  const where = services
    .flatMap(({ subsets }) => subsets.map((subset) => localityLabel(subset, scope, lowering.settings)))
    .join(',');
  const sidecar = JSON.stringify([scope.egress, scope.outboundTrafficPolicy]);
  const label = `common parts ${role} ${families.join()} ${trustDomain} ${interceptionMode} ${where} ${client} ${sidecar}`;
  return lowering.memo.of([first, ...rest], label, bag, (own) => {
    const { clusters, conflicts } = outboundClusters(scope, services, lowering, own);
    if (role === 'router') return { drafts: [], conflicts, listeners: [], clusters };
    const drafted = draftListeners(scope, services, meshRoutes, lowering.settings, own);
    const listeners = outboundListeners(drafted.drafts, clusters, scope, lowering, own);
    return { drafts: drafted.drafts, conflicts: [...conflicts, ...drafted.conflicts], listeners, clusters };
  });
}

function sortedConflicts(conflicts: readonly ConflictIR[]): readonly ConflictIR[] {
  const unique = new Map(conflicts.map((conflict) => [`${conflict.metric} ${conflict.key}`, conflict]));
  return sortedBy(
    unique.values(),
    ({ metric }) => metric,
    ({ key }) => key,
  );
}
