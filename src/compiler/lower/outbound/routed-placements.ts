import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { ConnectionMatch } from '../../../policy/virtual-service.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import { canonicalBlock } from '../../topology/address.ts';
import { objectOrigin } from '../origins.ts';
import { isForClient } from '../routes/client-match.ts';
import { type ConnectionTarget, connectionTarget } from '../routes/connection-target.ts';
import type { RouteContext } from '../routes/route-context.ts';
import type { Placement, TcpMatch } from './placement.ts';
import type { PlacementTarget } from './placement-target.ts';

/**
 * The parts that VirtualServices split a service port's bytes into. TLS routes by server name take
 * its place where its protocol is TLS; TCP routes stand before it, and one without conditions takes its place.
 * `virtualServices` are the most specific first.
 */
export function routedPlacements(
  placement: Placement,
  virtualServices: readonly EffectiveVirtualService[],
  context: RouteContext,
  bag: DiagnosticBag,
): readonly Placement[] {
  const { tcp, port } = placement;
  if (tcp === undefined || virtualServices.length === 0) return [placement];
  const isTls = port.protocol === 'tls' || port.protocol === 'https';
  const tls = isTls || port.protocol === 'auto' ? tlsPlacements(placement, tcp, virtualServices, context, bag) : [];
  if (isTls && tls.length > 0) return tls;
  return [...tls, ...tcpPlacements(placement, tcp, virtualServices, context, bag)];
}

/** One a server name, so that each has one owner on a listener; the first route for a name and block has it. */
function tlsPlacements(
  placement: Placement,
  base: TcpMatch,
  virtualServices: readonly EffectiveVirtualService[],
  context: RouteContext,
  bag: DiagnosticBag,
): readonly Placement[] {
  const byMatch = new Map<string, Placement>();
  for (const virtualService of virtualServices) {
    for (const [i, block] of (virtualService.spec.tls ?? []).entries()) {
      const path = ['spec', 'tls', i];
      for (const match of block.match.filter((one) => isForClient(one, virtualService.namespace, context))) {
        const target = targetOf(connectionTarget(block, { virtualService, path, context }, bag), virtualService, path);
        for (const name of match.sniHosts) {
          const tcp = { ...narrowed(base, match), serverNames: [name.toLowerCase()] };
          const key = JSON.stringify(tcp);
          if (!byMatch.has(key)) byMatch.set(key, { ...placement, routes: undefined, tcp, target });
        }
      }
    }
  }
  return [...byMatch.values()];
}

function tcpPlacements(
  placement: Placement,
  base: TcpMatch,
  virtualServices: readonly EffectiveVirtualService[],
  context: RouteContext,
  bag: DiagnosticBag,
): readonly Placement[] {
  const conditional = new Map<string, Placement>();
  for (const virtualService of virtualServices) {
    for (const [i, block] of (virtualService.spec.tcp ?? []).entries()) {
      const { match = [] } = block;
      const usable = match.filter((one) => isForClient(one, virtualService.namespace, context));
      if (match.length > 0 && usable.length === 0) continue;
      const path = ['spec', 'tcp', i];
      const target = targetOf(connectionTarget(block, { virtualService, path, context }, bag), virtualService, path);
      for (const one of usable.length === 0 ? [{}] : usable) {
        const tcp = narrowed(base, one);
        const key = JSON.stringify(tcp);
        if (key === JSON.stringify(base)) return [...conditional.values(), { ...placement, target }];
        if (!conditional.has(key)) conditional.set(key, { ...placement, routes: undefined, tcp, target });
      }
    }
  }
  return [...conditional.values(), placement];
}

function narrowed(base: TcpMatch, { destinationSubnets = [], sourceSubnet }: ConnectionMatch): TcpMatch {
  return {
    ...base,
    ...(destinationSubnets.length === 0 ? {} : { destinationPrefixes: destinationSubnets.flatMap(block) }),
    ...(sourceSubnet === undefined ? {} : { sourcePrefixes: block(sourceSubnet) }),
  };
}

/** Its schema has checked it. */
function block(subnet: string): string[] {
  const canonical = canonicalBlock(subnet);
  return canonical === undefined ? [] : [canonical];
}

function targetOf(
  target: ConnectionTarget,
  by: EffectiveVirtualService,
  path: readonly (string | number)[],
): PlacementTarget {
  return { ...target, by, origins: { decidedBy: [objectOrigin(by, path)], overrode: [] } };
}
