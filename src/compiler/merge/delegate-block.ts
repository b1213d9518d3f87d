import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { HttpMatch, HttpRoute, VirtualService } from '../../policy/virtual-service.ts';
import { resolveShortName } from '../topology/host.ts';
import { nameOf } from '../topology/object-name.ts';
import { mergeMatches } from './delegate-match.ts';
import type { HttpBlock } from './effective-virtual-service.ts';

interface DelegatingRoute {
  readonly root: VirtualService;
  readonly route: HttpRoute;
}

/**
 * The routes of a delegate under the conditions of the route that delegates to it. A route of which one match fits none of
 * those conditions is left out as a whole, and reported.
 */
export function mergeDelegate(
  { root, route }: DelegatingRoute,
  delegate: VirtualService,
  clusterDomain: string,
  bag: DiagnosticBag,
): readonly HttpBlock[] {
  const inherited = inheritable(route, root.namespace, clusterDomain);
  return (delegate.spec.http ?? []).flatMap((own, i): HttpBlock[] => {
    const path = ['spec', 'http', i];
    const matches = mergeMatches(route.match ?? [], own.match ?? []);
    if ('conflicting' in matches) {
      const span = delegate.document.spanOf([...path, 'match', matches.conflicting]);
      bag.report('delegate-route-dropped', span, { delegate: nameOf(delegate), root: nameOf(root) });
      return [];
    }
    const merged: HttpRoute = { ...inherited, ...own, ...names(route, own), ...whole(matches.merged) };
    return [{ route: merged, owner: delegate, path }];
  });
}

/** What a delegate's route takes from the one that delegates, where it says nothing itself. */
function inheritable(route: HttpRoute, namespace: string, clusterDomain: string): HttpRoute {
  const { match: _match, delegate: _delegate, name: _name, mirror, mirrors, ...rest } = route;
  // Short hosts are of the object in which they stand.
  const full = <T extends { readonly host: string }>(it: T): T => {
    return { ...it, host: resolveShortName(it.host, namespace, clusterDomain) };
  };
  return {
    ...rest,
    ...(mirror === undefined ? {} : { mirror: full(mirror) }),
    ...(mirrors === undefined ? {} : { mirrors: mirrors.map((it) => ({ ...it, destination: full(it.destination) })) }),
  };
}

function names(route: HttpRoute, own: HttpRoute): { readonly name?: string } {
  const name = [route.name, own.name].filter((part) => part !== undefined && part !== '').join('-');
  return name === '' ? {} : { name };
}

function whole(match: readonly HttpMatch[]): { readonly match?: readonly HttpMatch[] } {
  return match.length === 0 ? {} : { match };
}
