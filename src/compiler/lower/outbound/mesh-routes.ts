import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { SourceSpan } from '../../../diagnostics/span.ts';
import { append } from '../../../lib/append.ts';
import type { ConflictIR } from '../../ir/proxy.ts';
import type { RouteIR } from '../../ir/route.ts';
import type { ClientScope, EffectiveOutbound } from '../../merge/effective.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import { importsService } from '../../merge/egress.ts';
import { boundGateways } from '../../topology/gateway-name.ts';
import { compareSpecificity, isWildcard, resolveShortName, subsetOf } from '../../topology/host.ts';
import type { Lowering } from '../lowering.ts';
import { Destinations } from '../routes/destinations.ts';
import type { RouteContext } from '../routes/route-context.ts';
import { sharedHttpRoutes } from '../routes/shared-routes.ts';
import type { Placement } from './placement.ts';
import { routedPlacements } from './routed-placements.ts';

/** A host of a VirtualService that sidecars route. */
export interface RoutedHost {
  readonly virtualService: EffectiveVirtualService;
  /** Full name, in lower case. */
  readonly host: string;
  readonly span: SourceSpan;
}

/** The routes that one of several VirtualServices gives a host, and who gave them. */
export interface HostRoutes {
  readonly routes: readonly RouteIR[];
  readonly by: RoutedHost;
}

/** What VirtualServices say of the hosts that the sidecars of a scope call. */
export class MeshRoutes {
  readonly #ofServices = new Map<string, RoutedHost[]>();
  readonly #withoutService = new Map<string, RoutedHost[]>();
  readonly #scope: ClientScope;
  readonly #lowering: Lowering;
  readonly #destinations: Destinations;

  /** `virtualServices` are oldest first. */
  constructor(
    virtualServices: readonly EffectiveVirtualService[],
    services: readonly EffectiveOutbound[],
    scope: ClientScope,
    lowering: Lowering,
  ) {
    this.#scope = scope;
    this.#lowering = lowering;
    this.#destinations = new Destinations(services, scope.namespace);
    // What only routes lead to has no listeners of its own: its names are routed as those that no service has.
    const { egress, namespace } = scope;
    const listed = new Set(
      services.filter(
        ({ service }) => egress?.some((listener) => importsService(listener, service, namespace)) ?? true,
      ),
    );
    for (const routed of virtualServices.flatMap((it) => meshHosts(it, lowering.settings.clusterDomain))) {
      const { host } = routed;
      const covered = isWildcard(host)
        ? [...listed].filter(({ service }) => subsetOf(service.host, host))
        : [this.#destinations.serviceOf(host) ?? []].flat().filter((it) => it.service.host === host && listed.has(it));
      for (const { service } of covered) append(this.#ofServices, service.host, routed);
      if (covered.length === 0) append(this.#withoutService, host, routed);
    }
    // A host by its name goes before wildcards; among equals the order by age stays.
    for (const routed of this.#ofServices.values()) routed.sort((a, b) => compareSpecificity(a.host, b.host));
  }

  /** Hosts that no service of the scope has, sorted. */
  get hostsWithoutService(): readonly string[] {
    return [...this.#withoutService.keys()].sort();
  }

  /** Undefined when no VirtualService has routes for the host on this port; later ones that have are reported. */
  routesOf(host: string, port: number, conflicts: ConflictIR[], bag: DiagnosticBag): HostRoutes | undefined {
    let chosen: HostRoutes | undefined;
    for (const routed of this.#ofServices.get(host) ?? this.#withoutService.get(host) ?? []) {
      const routes = this.#lower(routed.virtualService, port, chosen === undefined ? bag : new DiagnosticBag());
      if (routes.length === 0) continue;
      if (chosen === undefined) chosen = { routes, by: routed };
      // A wildcard that gives way to a narrower host is no mistake.
      else if (routed.host === chosen.by.host) {
        conflicts.push({ metric: 'pilot_vservice_dup_domain', key: `${host}:${port}` });
        const holes = { domain: host, port: String(port), winner: nameOf(chosen.by), loser: nameOf(routed) };
        bag.report('duplicate-domain', routed.span, holes, {
          related: [{ message: 'the one that applies', span: chosen.by.span }],
        });
      }
    }
    return chosen;
  }

  /** A service port's bytes, split up as TCP and TLS routes say. */
  placementsOf(placement: Placement, bag: DiagnosticBag): readonly Placement[] {
    const routing = (this.#ofServices.get(placement.outbound.service.host) ?? [])
      .map(({ virtualService }) => virtualService)
      .filter(hasConnectionRoutes);
    return routedPlacements(placement, routing, this.#context(placement.port.number), bag);
  }

  #lower(virtualService: EffectiveVirtualService, listenPort: number, bag: DiagnosticBag): readonly RouteIR[] {
    return sharedHttpRoutes(virtualService, this.#context(listenPort), this.#lowering, bag);
  }

  #context(listenPort: number): RouteContext {
    const { settings } = this.#lowering;
    return { gateway: 'mesh', listenPort, client: this.#scope, destinations: this.#destinations, settings };
  }
}

/** Whether an object routes connections, which listeners do, and not route tables. */
export function hasConnectionRoutes({ spec }: EffectiveVirtualService): boolean {
  return (spec.tls ?? []).length + (spec.tcp ?? []).length > 0;
}

/** `VirtualService a/reviews`. */
export function nameOf({ virtualService: { kind, namespace, name } }: RoutedHost): string {
  return `${kind} ${namespace}/${name}`;
}

function meshHosts(virtualService: EffectiveVirtualService, clusterDomain: string): RoutedHost[] {
  const { spec, namespace, document } = virtualService;
  if (!boundGateways(spec.gateways, namespace).includes('mesh')) return [];
  return (spec.hosts ?? []).map((host, i) => ({
    virtualService,
    host: resolveShortName(host, namespace, clusterDomain),
    span: document.spanOf(['spec', 'hosts', i]),
  }));
}
