import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { HttpMatch } from '../../../policy/virtual-service.ts';
import type { RouteIR } from '../../ir/route.ts';
import type { EffectiveVirtualService, HttpBlock } from '../../merge/effective-virtual-service.ts';
import { noOrigins, objectOrigin } from '../origins.ts';
import { isForClient } from './client-match.ts';
import { corsOf, faultOf } from './features.ts';
import { forwardAction } from './forward.ts';
import { headerChanges, type RouteHeaders } from './header-changes.ts';
import { directResponse, redirect } from './own-answer.ts';
import type { RouteContext } from './route-context.ts';
import { everyRequest, isEveryRequest, routeMatch } from './route-match.ts';

/**
 * The HTTP routes of a VirtualService in the order in which they are tried; none behind one that takes every request
 * (Envoy, config.route.v3.Route). Empty when nothing of it is for this client and port.
 */
export function httpRoutes(
  virtualService: EffectiveVirtualService,
  context: RouteContext,
  bag: DiagnosticBag,
): readonly RouteIR[] {
  const routes: RouteIR[] = [];
  for (const block of virtualService.blocks) {
    const matches = block.route.match ?? [];
    const usable = matches.filter((match) => isForClient(match, virtualService.namespace, context));
    if (matches.length > 0 && usable.length === 0) continue;
    for (const match of matches.length === 0 ? [undefined] : usable) {
      const route = oneRoute(block, match, context, bag);
      routes.push(route);
      if (isEveryRequest(route.match)) return routes;
    }
  }
  return routes;
}

function oneRoute(block: HttpBlock, match: HttpMatch | undefined, context: RouteContext, bag: DiagnosticBag): RouteIR {
  const { route, owner, path } = block;
  const found = action(block, match, context, bag);
  const name = [route.name, match?.name].filter((part) => part !== undefined && part !== '').join('.');
  return {
    name: name === '' ? 'default' : name,
    match: match === undefined ? everyRequest : routeMatch(match),
    action: found.action,
    ...found.headers,
    ...(route.fault === undefined ? {} : { fault: faultOf(route.fault) }),
    ...(route.corsPolicy === undefined ? {} : { cors: corsOf(route.corsPolicy) }),
    ...(match?.statPrefix === undefined ? {} : { statPrefix: match.statPrefix }),
    origins: { ...noOrigins, decidedBy: [objectOrigin(owner, path)] },
  };
}

function action(
  block: HttpBlock,
  match: HttpMatch | undefined,
  context: RouteContext,
  bag: DiagnosticBag,
): { readonly action: RouteIR['action']; readonly headers: RouteHeaders } {
  const { route } = block;
  const headers = headerChanges(route.headers);
  if (route.redirect !== undefined) return { action: redirect(route.redirect, context.listenPort), headers };
  if (route.directResponse !== undefined) return { action: directResponse(route.directResponse), headers };
  return forwardAction(block, match, context, bag);
}
