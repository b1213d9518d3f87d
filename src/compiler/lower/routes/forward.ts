import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { JsonPath } from '../../../diagnostics/span.ts';
import type { Destination, HttpMatch, HttpRoute } from '../../../policy/virtual-service.ts';
import type { ForwardIR, HashPolicyIR, MirrorIR, RouteActionIR, WeightedClusterIR } from '../../ir/route.ts';
import type { HttpBlock } from '../../merge/effective-virtual-service.ts';
import { durationMs } from '../clusters/connection-pool.ts';
import type { FoundDestination } from './destinations.ts';
import { headerChanges, type RouteHeaders } from './header-changes.ts';
import { retryPolicy } from './retry.ts';
import { pathRewrite } from './rewrite.ts';
import type { RouteContext } from './route-context.ts';
import { everyRequest, routeMatch } from './route-match.ts';
import { type Share, sharesOf } from './shares.ts';

type Find = (destination: Destination, ...path: JsonPath) => FoundDestination;

/** Requests to one destination, or shared by weight among several; header operations of a single one are the route's. */
export function forwardAction(
  block: HttpBlock,
  match: HttpMatch | undefined,
  context: RouteContext,
  bag: DiagnosticBag,
): { readonly action: RouteActionIR; readonly headers: RouteHeaders } {
  const { route, owner, path } = block;
  const { client, listenPort, settings } = context;
  const find: Find = (destination, ...field) => {
    const place = { owner, path: [...path, ...field], client, listenPort, clusterDomain: settings.clusterDomain };
    return context.destinations.find(destination, place, bag);
  };
  const shares = sharesOf(route.route ?? [], find);
  const { authority, ...headers } = headerChanges(route.headers, shares.length === 1 ? shares[0]?.headers : undefined);
  const forward = forwardOf(route, match, authority, shares, find, context);
  const [single] = shares;
  const action: RouteActionIR =
    shares.length === 1 && single !== undefined
      ? { kind: 'cluster', cluster: single.found.cluster, ...forward }
      : { kind: 'weighted-clusters', clusters: shares.map(weightedCluster), ...forward };
  return { action, headers };
}

function forwardOf(
  route: HttpRoute,
  match: HttpMatch | undefined,
  headerAuthority: string | undefined,
  shares: readonly Share[],
  find: Find,
  { settings }: RouteContext,
): ForwardIR {
  const hashes = unique(shares.flatMap(({ found }) => found.hashPolicies));
  const rewrite = pathRewrite(route.rewrite, (match === undefined ? everyRequest : routeMatch(match)).path);
  const authority = route.rewrite?.authority ?? headerAuthority;
  const mirrors = mirrorsOf(route, find);
  return {
    timeoutMs: durationMs(route.timeout) ?? settings.defaultRequestTimeoutMs,
    retry: retryPolicy(route.retries, hashes),
    hashPolicies: hashes,
    ...(rewrite === undefined ? {} : { rewrite }),
    ...(authority === undefined ? {} : { authority }),
    ...(mirrors.length === 0 ? {} : { mirrors }),
  };
}

/** Everything is mirrored where no share is named; a share of 0 is no mirror. */
function mirrorsOf(route: HttpRoute, find: Find): readonly MirrorIR[] {
  const percent = route.mirrorPercentage
    ? (route.mirrorPercentage.value ?? 0)
    : (route.mirrorPercent ?? route.mirror_percent ?? 100);
  const single = route.mirror === undefined || percent === 0 ? [] : [{ ...find(route.mirror, 'mirror'), percent }];
  const several = (route.mirrors ?? []).flatMap(({ destination, percentage }, i) => {
    const share = percentage === undefined ? 100 : (percentage.value ?? 0);
    return share === 0 ? [] : [{ ...find(destination, 'mirrors', i, 'destination'), percent: share }];
  });
  return [...single, ...several].map(({ cluster, percent: share }) => ({ cluster, percent: share }));
}

function weightedCluster({ found, weight, headers }: Share): WeightedClusterIR {
  return { cluster: found.cluster, weight, ...headerChanges(headers) };
}

function unique(policies: readonly HashPolicyIR[]): readonly HashPolicyIR[] {
  const byText = new Map(policies.map((policy) => [JSON.stringify(policy), policy]));
  return [...byText.values()];
}
