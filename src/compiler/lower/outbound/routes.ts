import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { ConflictIR } from '../../ir/proxy.ts';
import type { RouteConfigurationIR, VirtualHostIR } from '../../ir/route.ts';
import type { ClientScope } from '../../merge/effective.ts';
import type { Lowering } from '../lowering.ts';
import { routeNames } from '../names.ts';
import { servicePortSpan } from '../origins.ts';
import type { ListenerDraft } from './draft.ts';
import type { Placement } from './placement.ts';
import { catchAllVirtualHost, detectedVirtualHost, serviceVirtualHost } from './virtual-host.ts';

export interface OutboundRoutes {
  readonly routes: readonly RouteConfigurationIR[];
  readonly conflicts: readonly ConflictIR[];
}

/** One route table a listener that takes HTTP; listeners of one service's several addresses share theirs. */
export function outboundRoutes(
  drafts: Iterable<ListenerDraft>,
  scope: ClientScope,
  lowering: Lowering,
  bag: DiagnosticBag,
): OutboundRoutes {
  const routes = new Map<string, RouteConfigurationIR>();
  const conflicts: ConflictIR[] = [];
  for (const { http } of drafts) {
    const [first] = http;
    const name = first?.routes;
    if (first === undefined || name === undefined || routes.has(name)) continue;
    const isShared = name === routeNames.port(first.port.number);
    routes.set(
      name,
      isShared
        ? sharedRoutes(name, http, { scope, lowering, bag, conflicts })
        : detectedRoutes(name, first, lowering, bag),
    );
  }
  return { routes: [...routes.values()], conflicts };
}

interface RouteContext {
  readonly scope: ClientScope;
  readonly lowering: Lowering;
  readonly bag: DiagnosticBag;
  readonly conflicts: ConflictIR[];
}

function detectedRoutes(name: string, placement: Placement, lowering: Lowering, bag: DiagnosticBag) {
  const { outbound, port } = placement;
  return lowering.memo.of([outbound], `detected routes ${port.number}`, bag, () => ({
    name,
    virtualHosts: [detectedVirtualHost(outbound, port.number, lowering.settings)],
  }));
}

function sharedRoutes(name: string, http: readonly Placement[], context: RouteContext): RouteConfigurationIR {
  const { lowering, bag } = context;
  const catchAll = lowering.memo.of([lowering.settings], 'catch-all', bag, () =>
    catchAllVirtualHost(lowering.settings),
  );
  const virtualHosts = sortedBy(uniqueVirtualHosts(http, context), (virtualHost) => virtualHost.name);
  return lowering.memo.of([catchAll, ...virtualHosts], `routes ${name}`, bag, () => ({
    name,
    virtualHosts: [...virtualHosts, catchAll],
  }));
}

/** Envoy refuses a table in which a domain stands twice: the oldest service keeps it. */
function uniqueVirtualHosts(http: readonly Placement[], context: RouteContext): readonly VirtualHostIR[] {
  const { scope, lowering, bag, conflicts } = context;
  const owners = new Map<string, string>([['*', 'catch-all']]);
  const names = new Set<string>();
  const virtualHosts: VirtualHostIR[] = [];
  for (const { outbound, port } of http) {
    const { service } = outbound;
    const label = `virtual host ${port.number} ${scope.namespace === service.namespace}`;
    const whole = lowering.memo.of([outbound], label, bag, () =>
      serviceVirtualHost(outbound, port.number, scope, lowering.settings),
    );
    const taken = whole.domains.find((domain) => owners.has(domain));
    const domains = taken === undefined ? whole.domains : whole.domains.filter((domain) => !owners.has(domain));
    if (taken !== undefined) {
      conflicts.push({ metric: 'pilot_vservice_dup_domain', key: whole.name });
      bag.report('duplicate-domain', servicePortSpan(service, port.number), {
        domain: taken,
        port: String(port.number),
        winner: owners.get(taken) ?? '',
        loser: service.host,
      });
    }
    if (domains.length === 0 || names.has(whole.name)) continue;
    names.add(whole.name);
    for (const domain of domains) owners.set(domain, service.host);
    virtualHosts.push(
      taken === undefined
        ? whole
        : lowering.memo.of([whole], `domains ${domains.join()}`, bag, () => ({ ...whole, domains })),
    );
  }
  return virtualHosts;
}
