import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { SourceSpan } from '../../../diagnostics/span.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { ConflictIR } from '../../ir/proxy.ts';
import type { VirtualHostIR } from '../../ir/route.ts';
import type { ClientScope } from '../../merge/effective.ts';
import { isWildcard, subsetOf } from '../../topology/host.ts';
import type { Service } from '../../topology/model.ts';
import type { Lowering } from '../lowering.ts';
import { servicePortSpan } from '../origins.ts';
import { type HostRoutes, type MeshRoutes, nameOf } from './mesh-routes.ts';
import type { Placement } from './placement.ts';
import { routedVirtualHost, serviceVirtualHost, virtualHostInputs } from './virtual-host.ts';

/** What the virtual hosts of one scope are made with. */
export interface VirtualHostContext {
  readonly scope: ClientScope;
  readonly meshRoutes: MeshRoutes;
  readonly lowering: Lowering;
  readonly bag: DiagnosticBag;
  readonly conflicts: ConflictIR[];
}

interface Claim {
  readonly virtualHost: VirtualHostIR;
  /** For messages. */
  readonly owner: string;
  /** Undefined for hosts that no service has. */
  readonly service?: Service;
  readonly span: () => SourceSpan;
}

/** Port on which sidecars route hosts that no service has: what a URL without a port means. */
const plainHttpPort = 80;

/**
 * The virtual hosts of a route table that the services of a port share, by name. Envoy refuses a table in which a domain
 * stands twice: whoever is routed by a VirtualService goes first, then the oldest service.
 */
export function sharedVirtualHosts(http: readonly Placement[], context: VirtualHostContext): readonly VirtualHostIR[] {
  const { scope, meshRoutes, lowering, bag, conflicts } = context;
  const port = http[0]?.port.number ?? plainHttpPort;
  const routed = http.map((placement) => {
    const { outbound, port: served } = placement;
    return { placement, found: meshRoutes.routesOf(outbound.service.host, served.number, conflicts, bag) };
  });
  const hosts = claimedHosts(http, port, context);
  const inputs = [
    ...routed.flatMap(({ placement: { outbound, port: served }, found }) =>
      virtualHostInputs(outbound, served.number, found?.routes),
    ),
    ...hosts.map(({ found }) => found.routes),
  ];
  const [first, ...rest] = inputs;
  if (first === undefined) return [];
  // Hosts that no service has are called so, and after whoever routes them.
  const names = hosts.map(({ host, found }) => `${host} ${nameOf(found.by)}`).join();
  const label = `table ${port} ${scope.namespace} ${names}`;
  const settled = lowering.memo.of([first, ...rest], label, bag, (own) => {
    const ofServices = routed.map((it) => ({
      isRouted: it.found !== undefined,
      claim: serviceClaim(it, context, own),
    }));
    const claims = [
      ...ofServices.filter(({ isRouted }) => isRouted).map(({ claim }) => claim),
      ...hosts.map((it) => hostClaim(it, port, lowering, own)),
      ...ofServices.filter(({ isRouted }) => !isRouted).map(({ claim }) => claim),
    ];
    return settle(claims, port, lowering, own);
  });
  conflicts.push(...settled.conflicts);
  return settled.virtualHosts;
}

/** A host that no service of the table has, and its routes. */
interface ClaimedHost {
  readonly host: string;
  readonly found: HostRoutes;
}

function claimedHosts(
  http: readonly Placement[],
  port: number,
  { meshRoutes, conflicts, bag }: VirtualHostContext,
): readonly ClaimedHost[] {
  const hosts = meshRoutes.hostsWithoutService.filter(
    (host) => port === plainHttpPort || http.some(({ outbound }) => goesBy(outbound.service, host)),
  );
  return hosts.flatMap((host) => {
    const found = meshRoutes.routesOf(host, port, conflicts, bag);
    return found === undefined ? [] : [{ host, found }];
  });
}

interface Settled {
  readonly virtualHosts: readonly VirtualHostIR[];
  readonly conflicts: readonly ConflictIR[];
}

/** Gives each domain to the first that wants it. */
function settle(all: readonly Claim[], port: number, lowering: Lowering, bag: DiagnosticBag): Settled {
  const conflicts: ConflictIR[] = [];
  const owners = new Map<string, string>([['*', 'catch-all']]);
  const names = new Set<string>();
  const virtualHosts: VirtualHostIR[] = [];
  const reserved = namesOfServices(all);
  for (const { virtualHost: whole, owner, service, span } of all) {
    const ownerOf = (domain: string): string | undefined => owners.get(domain) ?? reserved(domain, service);
    const taken = whole.domains.find((domain) => ownerOf(domain) !== undefined);
    const domains = taken === undefined ? whole.domains : whole.domains.filter((it) => ownerOf(it) === undefined);
    if (taken !== undefined) {
      conflicts.push({ metric: 'pilot_vservice_dup_domain', key: whole.name });
      const holes = { domain: taken, port: String(port), winner: ownerOf(taken) ?? '', loser: owner };
      bag.report('duplicate-domain', span(), holes);
    }
    if (domains.length === 0 || names.has(whole.name)) continue;
    names.add(whole.name);
    for (const domain of domains) owners.set(domain, owner);
    virtualHosts.push(
      taken === undefined
        ? whole
        : lowering.memo.of([whole], `domains ${domains.join()}`, bag, () => ({ ...whole, domains })),
    );
  }
  return { virtualHosts: sortedBy(virtualHosts, ({ name }) => name), conflicts };
}

/**
 * The service, if any, that keeps a name of its own from a ServiceEntry of another namespace, however old either is: whoever
 * may write an entry must not lead the requests for `<service>.<namespace>` elsewhere.
 */
function namesOfServices(all: readonly Claim[]): (domain: string, claimant: Service | undefined) => string | undefined {
  const services = new Map<string, Service>();
  for (const { service, virtualHost } of all) {
    if (service?.kind !== 'Service') continue;
    for (const domain of virtualHost.domains) services.set(domain, service);
  }
  return (domain, claimant) => {
    if (claimant?.kind !== 'ServiceEntry') return undefined;
    const service = services.get(domain);
    return service === undefined || service.namespace === claimant.namespace ? undefined : service.host;
  };
}

function serviceClaim(
  { placement, found }: { readonly placement: Placement; readonly found: HostRoutes | undefined },
  { scope, lowering }: VirtualHostContext,
  bag: DiagnosticBag,
): Claim {
  const { outbound, port } = placement;
  const { service } = outbound;
  const client = service.aliases.length > 0 ? scope.namespace : scope.namespace === service.namespace;
  const inputs = virtualHostInputs(outbound, port.number, found?.routes);
  const virtualHost = lowering.memo.of(inputs, `virtual host ${port.number} ${client}`, bag, () =>
    serviceVirtualHost(outbound, port.number, scope, lowering.settings, found?.routes),
  );
  return { virtualHost, owner: service.host, service, span: () => servicePortSpan(service, port.number) };
}

function hostClaim({ host, found }: ClaimedHost, port: number, { memo }: Lowering, bag: DiagnosticBag): Claim {
  const virtualHost = memo.of([found.routes], `virtual host ${host}:${port}`, bag, () =>
    routedVirtualHost(host, port, found.routes),
  );
  return { virtualHost, owner: nameOf(found.by), span: () => found.by.span };
}

/** Whether a service without that host answers to it all the same. */
function goesBy(service: Service, host: string): boolean {
  const isUnderWildcard = isWildcard(service.host) && subsetOf(host, service.host);
  return isUnderWildcard || service.aliases.some((alias) => alias.host === host);
}
