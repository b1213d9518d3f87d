import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { fullerName } from '../../lib/fuller-name.ts';
import { KnownNames } from '../../lib/known-names.ts';
import { NearNames } from '../../lib/near-names.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { writtenField } from '../../policy/written-field.ts';
import { boundGateways, gatewayName } from '../topology/gateway-name.ts';
import { isWildcard, resolveShortName } from '../topology/host.ts';
import type { Topology } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';
import { isOfUnseenNamespace } from '../topology/unseen-namespace.ts';
import { reportIdleRoutes } from './idle-routes.ts';
import { type MissingDestination, missingDestinations } from './missing-destinations.ts';
import { ServiceHosts } from './service-hosts.ts';

/** What VirtualServices are checked against. */
export interface RouteTargets {
  readonly topology: Topology;
  readonly gateways: readonly Gateway[];
  readonly settings: Settings;
}

/**
 * Reports gateways that do not exist, and hosts without a service; gives the destinations that are missing. What one client
 * sees and another does not is told when its routes are made.
 */
export function checkVirtualServices(
  virtualServices: readonly VirtualService[],
  { topology, gateways, settings }: RouteTargets,
  bag: DiagnosticBag,
): readonly MissingDestination[] {
  const hosts = new ServiceHosts(topology.services);
  const inhabited = new Set(gateways.map(({ namespace }) => namespace));
  const names = {
    ...{ ...namesOf(gateways), namespaces: inhabited, owners: new KnownNames(inhabited) },
    made: new Set(gateways.map(nameOf)),
  };
  for (const virtualService of virtualServices) {
    checkGateways(virtualService, names, bag);
    checkHosts(virtualService, hosts, { topology, settings }, bag);
    reportIdleRoutes(virtualService, hosts, settings, bag);
  }
  return virtualServices.flatMap((virtualService) => {
    return missingDestinations(virtualService, hosts, { topology, settings });
  });
}

/** Gateways by `namespace/name`. */
interface GatewayNames {
  /** Those that a VirtualService can name. */
  readonly known: ReadonlySet<string>;
  readonly near: NearNames;
  /** Those of the Gateway API. */
  readonly standard: ReadonlySet<string>;
  /** All, with those that stand for listeners of the Gateway API. */
  readonly made: ReadonlySet<string>;
  /** Namespaces that have gateways. */
  readonly namespaces: ReadonlySet<string>;
  /** The same, to find the one that a misspelt one was meant to be. */
  readonly owners: KnownNames;
}

function namesOf(gateways: readonly Gateway[]): Pick<GatewayNames, 'known' | 'near' | 'standard'> {
  const known = new Set(gateways.filter(({ standard }) => standard === undefined).map(nameOf));
  const standard = gateways.filter((gateway) => gateway.standard !== undefined);
  return {
    ...{ known, near: new NearNames(known) },
    standard: new Set(standard.map((gateway) => nameOf(writtenField(gateway, []).object))),
  };
}

function checkGateways(
  { spec, namespace, document }: VirtualService,
  gateways: GatewayNames,
  bag: DiagnosticBag,
): void {
  for (const [i, reference] of (spec.gateways ?? []).entries()) {
    const gateway = gatewayName(reference, namespace);
    if (gateway === 'mesh' || gateways.made.has(gateway)) continue;
    const [owner = '', name = ''] = gateway.split('/');
    const meant = gateways.namespaces.has(owner) ? owner : gateways.owners.meantBy(owner);
    const hint = hintOfGateway(gateway, meant ?? owner, gateways);
    const isUnseen = meant === undefined || (meant !== owner && !gateways.known.has(`${meant}/${name}`));
    bag.report('unknown-gateway', document.spanOf(['spec', 'gateways', i]), { gateway }, { hint, isUnseen });
  }
}

/** A near name, one of the namespace with more words or fewer, or those that the namespace has. */
function hintOfGateway(
  gateway: string,
  owner: string,
  { known, near: names, standard }: GatewayNames,
): string | undefined {
  if (standard.has(gateway)) {
    return 'the Gateway of that name is one of the Gateway API, whose routes are HTTPRoutes, GRPCRoutes and TLSRoutes: write one of these';
  }
  const near = names.nearest(gateway);
  if (near !== undefined) return `did you mean "${near}"?`;
  const beside = [...known].filter((name) => name.startsWith(`${owner}/`)).map((name) => name.slice(owner.length + 1));
  const fuller = fullerName(gateway.slice(gateway.indexOf('/') + 1), beside);
  if (fuller !== undefined) return `did you mean "${owner}/${fuller}"?`;
  if (beside.length === 0) return undefined;
  const listed = beside.slice(0, 3).map((name) => `"${owner}/${name}"`);
  const rest = beside.length > 3 ? ` and ${beside.length - 3} more` : '';
  return `write one of the Gateways of namespace "${owner}", which are ${listed.join(', ')}${rest}, or add the missing one to the inputs`;
}

/** Hosts that sidecars are to route and that nobody declares; they do it for HTTP, on one port. */
function checkHosts(
  { spec, namespace, document }: VirtualService,
  hosts: ServiceHosts,
  { topology, settings: { clusterDomain } }: Pick<RouteTargets, 'topology' | 'settings'>,
  bag: DiagnosticBag,
): void {
  if (!boundGateways(spec.gateways, namespace).includes('mesh')) return;
  const resolved = (spec.hosts ?? []).map((host) => resolveShortName(host, namespace, clusterDomain));
  const written = new Set(resolved);
  for (const [i, host] of resolved.entries()) {
    const full = withDomain(host, clusterDomain);
    // Who writes all spellings of a host means one service.
    if (hosts.meets(host) || (written.has(full) && hosts.get(full) !== undefined)) continue;
    const span = document.spanOf(['spec', 'hosts', i]);
    const whole = hosts.get(full) === undefined ? undefined : full;
    const near = isWildcard(host) ? undefined : (whole ?? hosts.nearest(host) ?? hosts.fuller(host));
    const hint = near && `did you mean "${near}"?`;
    const extras = { hint, isUnseen: isOfUnseenNamespace(host, topology, clusterDomain) };
    if (spec.http !== undefined) bag.report('host-without-service', span, { host }, extras);
    else
      bag.report('connections-without-service', span, { host, kind: spec.tls === undefined ? 'tcp' : 'tls' }, extras);
  }
}

/** The full name of a host that is written as `<service>.<namespace>`, or as that and `svc`. */
function withDomain(host: string, clusterDomain: string): string {
  const words = host.split('.');
  if (words.length === 2) return `${host}.svc.${clusterDomain}`;
  return words.length === 3 && words[2] === 'svc' ? `${host}.${clusterDomain}` : host;
}
