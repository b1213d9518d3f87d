import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { JsonPath } from '../../../diagnostics/span.ts';
import type { TlsRoute } from '../../../policy/virtual-service.ts';
import type { TcpProxyIR } from '../../ir/listener.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import { clusterNames } from '../names.ts';
import type { RouteContext } from './route-context.ts';
import { sharesOf } from './shares.ts';

/** Where the bytes of a connection go. */
export type ConnectionTarget = Pick<TcpProxyIR, 'cluster' | 'weightedClusters' | 'hashSourceIp'>;

/** Connections are shared out by weight; a destination alone takes all. `path` is that of the route. */
export function connectionTarget(
  { route: destinations, closedWeight = 0 }: Pick<TlsRoute, 'route' | 'closedWeight'>,
  place: { readonly virtualService: EffectiveVirtualService; readonly path: JsonPath; readonly context: RouteContext },
  bag: DiagnosticBag,
): ConnectionTarget {
  const { virtualService, path, context } = place;
  const { client, listenPort, settings } = context;
  const shares = sharesOf(destinations, (destination, ...field) => {
    const at = { owner: virtualService, path: [...path, ...field], client, listenPort };
    return context.destinations.find(destination, { ...at, clusterDomain: settings.clusterDomain }, bag);
  });
  const weighted = [
    ...shares.map(({ found, weight }) => ({ cluster: found.cluster, weight })),
    ...(closedWeight > 0 ? [{ cluster: clusterNames.blackHole, weight: closedWeight }] : []),
  ];
  return {
    cluster: weighted[0]?.cluster ?? '',
    hashSourceIp: shares.some(({ found }) => found.hashPolicies.some(({ kind }) => kind === 'source-ip')),
    ...(weighted.length > 1 ? { weightedClusters: weighted } : {}),
  };
}
