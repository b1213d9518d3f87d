import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { VirtualService } from '../../../policy/virtual-service.ts';
import type { RouteIR } from '../../ir/route.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import { resolveShortName } from '../../topology/host.ts';
import type { Lowering } from '../lowering.ts';
import { httpRoutes } from './http-routes.ts';
import type { RouteContext } from './route-context.ts';

/**
 * `httpRoutes`, and the identical list again while the VirtualService and the destinations that it names are the same:
 * clients share it unless it asks who they are.
 */
export function sharedHttpRoutes(
  virtualService: EffectiveVirtualService,
  context: RouteContext,
  { memo }: Lowering,
  bag: DiagnosticBag,
): readonly RouteIR[] {
  const hosts = destinationHosts(virtualService, context.settings.clusterDomain);
  const seen = hosts.flatMap((host) => context.destinations.serviceOf(host) ?? []);
  const isUnseen = seen.length < hosts.length;
  const { namespace, labels } = context.client;
  const client = isUnseen || asksForClient(virtualService) ? `${namespace} ${JSON.stringify(labels)}` : '';
  const missing = isUnseen ? hosts.filter((host) => context.destinations.serviceOf(host) === undefined).join() : '';
  const label = `http routes ${context.gateway} ${context.listenPort} ${client} ${missing}`;
  return memo.of([virtualService, ...seen], label, bag, (own) => httpRoutes(virtualService, context, own));
}

/** Full names of all destinations and mirrors, sorted. */
function destinationHosts({ blocks }: EffectiveVirtualService, clusterDomain: string): readonly string[] {
  const hosts = blocks.flatMap(({ route, owner }) => {
    const destinations = [
      ...(route.route ?? []).map(({ destination }) => destination),
      ...(route.mirror === undefined ? [] : [route.mirror]),
      ...(route.mirrors ?? []).map(({ destination }) => destination),
    ];
    return destinations.map(({ host }) => resolveShortName(host, owner.namespace, clusterDomain));
  });
  return [...new Set(hosts)].sort();
}

/** Whether some match looks at the client's labels or namespace. */
export function asksForClient({ spec }: VirtualService): boolean {
  const matches = [...(spec.http ?? []), ...(spec.tls ?? []), ...(spec.tcp ?? [])].flatMap(({ match }) => match ?? []);
  return matches.some(({ sourceLabels, sourceNamespace }) => sourceLabels !== undefined || Boolean(sourceNamespace));
}
