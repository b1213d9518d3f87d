import type { Settings } from '../../config/settings.ts';
import { destinationsOf } from '../topology/destinations.ts';
import { boundGateways } from '../topology/gateway-name.ts';
import { resolveShortName } from '../topology/host.ts';
import type { Service, Topology } from '../topology/model.ts';
import type { ClientScope } from './effective.ts';
import type { EffectiveVirtualService } from './effective-virtual-service.ts';
import { type EgressListener, importsService } from './egress.ts';
import { visibleServices } from './outbound.ts';
import { serviceIndex } from './service-index.ts';

/**
 * What a Sidecar leaves of the services that a client sees, oldest first: those that it imports, and those that the
 * client's proxy calls by itself. The latter are the destinations of `routes`, and external authorizers.
 */
export function importedServices(
  topology: Topology,
  { namespace }: Pick<ClientScope, 'namespace'>,
  egress: readonly EgressListener[],
  routes: readonly EffectiveVirtualService[],
  settings: Settings,
): readonly Service[] {
  const index = serviceIndex(topology);
  const candidates = index.servicesFor(egress.flatMap(({ hosts }) => hosts));
  const imported = visibleServices(candidates, namespace, (service) =>
    egress.some((listener) => importsService(listener, service, namespace)),
  );
  const known = new Set(imported.map(({ host }) => host));
  const called = [...authorizerHosts(settings), ...routes.flatMap((it) => destinationHosts(it, settings))];
  const others = index
    .servicesFor(called.map((host) => ({ namespace: '*', host })))
    .filter(({ host }) => !known.has(host));
  return index.inOrder([...imported, ...visibleServices(others, namespace)]);
}

/**
 * Those that a client calls by name: what its proxy has (`outbound`), and the hosts of the routes for sidecars, which are routed
 * also where the Sidecar does not import them.
 */
export function namedServices(
  topology: Topology,
  { namespace }: Pick<ClientScope, 'namespace'>,
  outbound: readonly Service[],
  routes: readonly EffectiveVirtualService[],
  { clusterDomain }: Pick<Settings, 'clusterDomain'>,
): readonly Service[] {
  const ofSidecars = routes.filter((it) => boundGateways(it.spec.gateways, it.namespace).includes('mesh'));
  const hosts = ofSidecars.flatMap((it) =>
    (it.spec.hosts ?? []).map((host) => ({
      namespace: '*',
      host: resolveShortName(host, it.namespace, clusterDomain),
    })),
  );
  const index = serviceIndex(topology);
  const known = new Set(outbound.map(({ host }) => host));
  const routed = visibleServices(
    index.servicesFor(hosts),
    namespace,
    (service) => !known.has(service.host) && importsService({ hosts }, service, namespace),
  );
  return index.inOrder([...outbound, ...routed]);
}

function destinationHosts(
  routes: EffectiveVirtualService,
  { clusterDomain }: Pick<Settings, 'clusterDomain'>,
): readonly string[] {
  const owners = new Set([routes, ...routes.blocks.map(({ owner }) => owner)]);
  return [...owners].flatMap((owner) =>
    destinationsOf(owner).map(({ destination }) => resolveShortName(destination.host, owner.namespace, clusterDomain)),
  );
}

function authorizerHosts({ extensionProviders }: Settings): readonly string[] {
  return extensionProviders.flatMap(({ authorizer }) => authorizer?.service.toLowerCase().split('/').at(-1) ?? []);
}
