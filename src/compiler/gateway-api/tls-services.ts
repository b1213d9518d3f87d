import { sortedBy } from '../../lib/sort.ts';
import type { StandardTlsRoute } from '../../policy/gateway-api.ts';
import type { TlsRoute, VirtualService } from '../../policy/virtual-service.ts';
import type { Attachment } from './attachment.ts';
import { type BackendContext, type BackendShares, shareBackends } from './backends.ts';
import { isWithinAnother, type ServedListener } from './listeners.ts';
import type { Made } from './made-object.ts';
import { madeService } from './made-service.ts';

/** Who shares the connections of a route. */
export function tlsShares(route: StandardTlsRoute, context: BackendContext): BackendShares {
  const place = {
    route,
    path: ['spec', 'rules', 0, 'backendRefs'],
    otherwise: 'its share of the connections is closed',
  };
  return shareBackends(route.spec.rules[0]?.backendRefs ?? [], place, context);
}

/**
 * For each listener of TLS that goes through, and each of its server names, one VirtualService. A listener beside a wider one of
 * its port closes the connections that no route takes itself, so that the wider one does not get them.
 */
export function tlsServices(
  listeners: readonly ServedListener[],
  attachments: readonly Attachment<StandardTlsRoute>[],
  shares: ReadonlyMap<StandardTlsRoute, BackendShares>,
): readonly Made<VirtualService>[] {
  return listeners.flatMap((listener) => {
    if (listener.listener.protocol !== 'TLS') return [];
    const own = attachments.filter((it) => it.listener === listener);
    const byHost = new Map(own.flatMap(({ route, hosts }) => hosts.map((host) => [host, route] as const)));
    const made = sortedBy([...byHost], ([host]) => host).map(([host, route]) =>
      serviceFor(listener, host, route, shares.get(route)),
    );
    const isLast = !byHost.has(listener.host) && isWithinAnother(listener, listeners);
    return isLast ? [...made, madeService(listener, listener.host, { tls: [closed(listener.host)] })] : made;
  });
}

function serviceFor(
  listener: ServedListener,
  host: string,
  route: StandardTlsRoute,
  { usable, lost }: Omit<BackendShares, 'faults'> = { usable: [], lost: 0 },
): Made<VirtualService> {
  const tls: TlsRoute = {
    match: [{ sniHosts: [host] }],
    route: usable.map(({ destination, weight }) => ({ destination, weight })),
    ...(usable.length > 0 && lost === 0 ? {} : { closedWeight: Math.max(lost, 1) }),
  };
  const writtenAs = ([field, entry]: readonly (string | number)[]) => ({
    object: route,
    field:
      field === 'route' && usable.length > 0
        ? ['spec', 'rules', 0, 'backendRefs', usable[Number(entry ?? 0)]?.index ?? 0]
        : ['spec', 'hostnames'],
  });
  return madeService(listener, host, { tls: [tls] }, { parts: [{ writtenAs }], sources: [route] });
}

function closed(host: string): TlsRoute {
  return { match: [{ sniHosts: [host] }], route: [], closedWeight: 1 };
}
