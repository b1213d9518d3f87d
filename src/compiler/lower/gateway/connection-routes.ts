import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { ConnectionMatch } from '../../../policy/virtual-service.ts';
import type { Origins } from '../../ir/origin.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import { canonicalBlock } from '../../topology/address.ts';
import { matches } from '../../topology/host.ts';
import { objectOrigin } from '../origins.ts';
import { isForClient } from '../routes/client-match.ts';
import { type ConnectionTarget, connectionTarget } from '../routes/connection-target.ts';
import type { RouteContext } from '../routes/route-context.ts';
import { commonHosts } from './hosts.ts';
import type { GatewayServer } from './server.ts';

/** Where the bytes of a connection go. */
export interface ConnectionRoute {
  /** Server names that lead here, in lower case; empty for any. */
  readonly serverNames: readonly string[];
  readonly destinationPrefixes: readonly string[];
  readonly sourcePrefixes: readonly string[];
  readonly target: ConnectionTarget;
  readonly origins: Origins;
}

/** The first route of a VirtualService for the plaintext bytes of a server; one chain can follow one route. */
export function tcpRoute(
  virtualServices: readonly EffectiveVirtualService[],
  server: GatewayServer,
  context: RouteContext,
  bag: DiagnosticBag,
): ConnectionRoute | undefined {
  for (const virtualService of virtualServices) {
    if (commonHosts(server, virtualService, context.settings.clusterDomain).length === 0) continue;
    for (const [i, block] of (virtualService.spec.tcp ?? []).entries()) {
      const fitting = (block.match ?? []).find((match) => isForClient(match, virtualService.namespace, context));
      if (block.match !== undefined && block.match.length > 0 && fitting === undefined) continue;
      const path = ['spec', 'tcp', i];
      const origins = { decidedBy: [objectOrigin(virtualService, path)], overrode: [] };
      const target = connectionTarget(block, { virtualService, path, context }, bag);
      return { serverNames: [], ...blocks(fitting), target, origins };
    }
  }
  return undefined;
}

/** Routes by server name, for TLS that goes through unopened. */
export function tlsRoutes(
  virtualServices: readonly EffectiveVirtualService[],
  server: GatewayServer,
  context: RouteContext,
  bag: DiagnosticBag,
): readonly ConnectionRoute[] {
  return virtualServices.flatMap((virtualService) => {
    const common = commonHosts(server, virtualService, context.settings.clusterDomain);
    if (common.length === 0) return [];
    return (virtualService.spec.tls ?? []).flatMap((block, i) =>
      block.match.flatMap((match, j): ConnectionRoute[] => {
        if (!isForClient(match, virtualService.namespace, context)) return [];
        const names = match.sniHosts.map((name) => name.toLowerCase());
        const path = ['spec', 'tls', i];
        const decidedBy = [objectOrigin(virtualService, [...path, 'match', j])];
        return [
          {
            serverNames: names.filter((name) => common.some((host) => matches(name, host))),
            ...blocks(match),
            target: connectionTarget(block, { virtualService, path, context }, bag),
            origins: { decidedBy, overrode: [] },
          },
        ];
      }),
    );
  });
}

function blocks(match: ConnectionMatch | undefined): Pick<ConnectionRoute, 'destinationPrefixes' | 'sourcePrefixes'> {
  const { destinationSubnets = [], sourceSubnet } = match ?? {};
  return {
    destinationPrefixes: destinationSubnets.map(canonical),
    sourcePrefixes: sourceSubnet === undefined ? [] : [canonical(sourceSubnet)],
  };
}

function canonical(block: string): string {
  return canonicalBlock(block) ?? block;
}
