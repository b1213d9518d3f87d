import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { OutboundTrafficPolicyMode } from '../../../policy/sidecar.ts';
import type { ConflictIR } from '../../ir/proxy.ts';
import type { RouteConfigurationIR } from '../../ir/route.ts';
import type { ClientScope } from '../../merge/effective.ts';
import type { Lowering } from '../lowering.ts';
import { routeNames } from '../names.ts';
import type { ListenerDraft } from './draft.ts';
import type { MeshRoutes } from './mesh-routes.ts';
import type { Placement } from './placement.ts';
import { unknownDestinations } from './unknown-destinations.ts';
import { catchAllVirtualHost, detectedVirtualHost, virtualHostInputs } from './virtual-host.ts';
import { sharedVirtualHosts, type VirtualHostContext } from './virtual-hosts.ts';

export interface OutboundRoutes {
  readonly routes: readonly RouteConfigurationIR[];
  readonly conflicts: readonly ConflictIR[];
}

/** One route table a listener that takes HTTP; listeners of one service's several addresses share theirs. */
export function outboundRoutes(
  drafts: Iterable<ListenerDraft>,
  scope: ClientScope,
  meshRoutes: MeshRoutes,
  lowering: Lowering,
  bag: DiagnosticBag,
): OutboundRoutes {
  const routes = new Map<string, RouteConfigurationIR>();
  const conflicts: ConflictIR[] = [];
  const context = { scope, meshRoutes, lowering, bag, conflicts };
  for (const { http, isBound } of drafts) {
    const [first] = http;
    const name = first?.routes;
    if (first === undefined || name === undefined || routes.has(name)) continue;
    const isOwn = name === routeNames.service(first.outbound.service, first.port.number);
    // The destination of a connection to a bound listener is the listener itself: nothing can be passed on.
    const unknown = isBound ? 'REGISTRY_ONLY' : unknownDestinations(scope, lowering.settings);
    routes.set(name, isOwn ? detectedRoutes(name, first, context) : sharedRoutes(name, http, unknown, context));
  }
  return { routes: [...routes.values()], conflicts };
}

function detectedRoutes(name: string, { outbound, port }: Placement, context: VirtualHostContext) {
  const { meshRoutes, lowering, bag, conflicts } = context;
  const found = meshRoutes.routesOf(outbound.service.host, port.number, conflicts, bag);
  const inputs = virtualHostInputs(outbound, port.number, found?.routes);
  return lowering.memo.of(inputs, `detected routes ${port.number}`, bag, () => ({
    name,
    virtualHosts: [detectedVirtualHost(outbound, port.number, lowering.settings, found?.routes)],
  }));
}

function sharedRoutes(
  name: string,
  http: readonly Placement[],
  unknown: OutboundTrafficPolicyMode,
  context: VirtualHostContext,
): RouteConfigurationIR {
  const { lowering, bag } = context;
  const catchAll = lowering.memo.of([lowering.settings], `catch-all ${unknown}`, bag, () =>
    catchAllVirtualHost(unknown),
  );
  const virtualHosts = sharedVirtualHosts(http, context);
  return lowering.memo.of([catchAll, ...virtualHosts], `routes ${name}`, bag, () => ({
    name,
    virtualHosts: [...virtualHosts, catchAll],
  }));
}
