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
import { type MeshRoutes, nameOf } from './mesh-routes.ts';
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
  const { lowering, bag, conflicts } = context;
  const port = http[0]?.port.number ?? plainHttpPort;
  const all = claims(http, port, context);
  const [first, ...rest] = all.map(({ virtualHost }) => virtualHost);
  if (first === undefined) return [];
  // A virtual host is of one service; one without is of whoever routes it.
  const owners = all.flatMap(({ service, owner }) => (service === undefined ? [owner] : []));
  const settled = lowering.memo.of([first, ...rest], `table ${port} ${owners.join()}`, bag, (own) =>
    settle(all, port, lowering, own),
  );
  conflicts.push(...settled.conflicts);
  return settled.virtualHosts;
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

/** Everybody who wants domains of the table, in the order in which they get them. */
function claims(http: readonly Placement[], port: number, context: VirtualHostContext): readonly Claim[] {
  const routed: Claim[] = [];
  const plain: Claim[] = [];
  for (const placement of http) {
    const { claim, isRouted } = serviceClaim(placement, context);
    (isRouted ? routed : plain).push(claim);
  }
  const hosts = context.meshRoutes.hostsWithoutService.filter(
    (host) => port === plainHttpPort || http.some(({ outbound }) => goesBy(outbound.service, host)),
  );
  return [...routed, ...hosts.flatMap((host) => hostClaim(host, port, context)), ...plain];
}

function serviceClaim(
  { outbound, port: { number: port } }: Placement,
  { scope, meshRoutes, lowering, bag, conflicts }: VirtualHostContext,
): { readonly claim: Claim; readonly isRouted: boolean } {
  const { service } = outbound;
  const found = meshRoutes.routesOf(service.host, port, conflicts, bag);
  const client = service.aliases.length > 0 ? scope.namespace : scope.namespace === service.namespace;
  const label = `virtual host ${port} ${client}`;
  const inputs = virtualHostInputs(outbound, port, found?.routes);
  const virtualHost = lowering.memo.of(inputs, label, bag, () =>
    serviceVirtualHost(outbound, port, scope, lowering.settings, found?.routes),
  );
  const span = (): SourceSpan => servicePortSpan(service, port);
  return { claim: { virtualHost, owner: service.host, service, span }, isRouted: found !== undefined };
}

function hostClaim(host: string, port: number, { meshRoutes, lowering, bag, conflicts }: VirtualHostContext): Claim[] {
  const found = meshRoutes.routesOf(host, port, conflicts, bag);
  if (found === undefined) return [];
  const virtualHost = lowering.memo.of([found.routes], `virtual host ${host}:${port}`, bag, () =>
    routedVirtualHost(host, port, found.routes),
  );
  return [{ virtualHost, owner: nameOf(found.by), span: () => found.by.span }];
}

/** Whether a service without that host answers to it all the same. */
function goesBy(service: Service, host: string): boolean {
  const isUnderWildcard = isWildcard(service.host) && subsetOf(host, service.host);
  return isUnderWildcard || service.aliases.some((alias) => alias.host === host);
}
