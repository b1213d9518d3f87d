import type { Fragment } from '../../envoy/api/fragment.ts';
import type { ForwardIR, RedirectIR, RouteActionIR, RouteIR } from '../ir/route.ts';
import { expectList, expectValue, type Lose } from './expect.ts';

/** Where a route's requests go, and as what. */
export function routeActionLosses(route: Fragment, { action }: RouteIR, lose: Lose): void {
  const wanted = { cluster: 'route', 'weighted-clusters': 'route', redirect: 'redirect' } as const;
  const field = action.kind === 'direct-response' ? 'direct_response' : wanted[action.kind];
  for (const other of ['route', 'redirect', 'direct_response', 'filter_action', 'non_forwarding_action']) {
    if (other !== field && route.at(other).exists) lose(route.at(other), `no rule asks for ${other}`);
  }
  if (action.kind === 'redirect') redirectLosses(route.at('redirect'), action, lose);
  else if (action.kind === 'direct-response') {
    expectValue(route.at('direct_response', 'status'), action.status, lose);
  } else forwardLosses(route.at('route'), action, lose);
}

const redirectCodes = {
  301: 'MOVED_PERMANENTLY',
  302: 'FOUND',
  303: 'SEE_OTHER',
  307: 'TEMPORARY_REDIRECT',
  308: 'PERMANENT_REDIRECT',
} as const;

function redirectLosses(redirect: Fragment, ir: RedirectIR, lose: Lose): void {
  expectValue(redirect.at('response_code'), redirectCodes[ir.status], lose, 'MOVED_PERMANENTLY');
  expectValue(redirect.at('scheme_redirect'), ir.scheme, lose);
  expectValue(redirect.at('host_redirect'), ir.host, lose);
  expectValue(redirect.at('port_redirect'), ir.port, lose);
  expectValue(redirect.at('path_redirect'), ir.path, lose);
}

type ForwardActionIR = Extract<RouteActionIR, ForwardIR>;

function forwardLosses(route: Fragment, ir: ForwardActionIR, lose: Lose): void {
  const weighted = route.at('weighted_clusters', 'clusters');
  if (ir.kind === 'cluster') expectValue(route.at('cluster'), ir.cluster, lose);
  else {
    const found = weighted.items.map((one) => `${one.at('name').value} ${one.at('weight').value}`);
    const wanted = ir.clusters.map(({ cluster, weight }) => `${cluster} ${weight}`);
    expectList(weighted, found, wanted, lose);
    for (const [i, one] of ir.clusters.entries()) {
      expectValue(weighted.items[i]?.at('host_rewrite_literal') ?? weighted, one.authority, lose);
    }
  }
  const fields = ir.kind === 'cluster' ? ['weighted_clusters'] : ['cluster'];
  for (const field of [...fields, 'cluster_header', 'cluster_specifier_plugin', 'inline_cluster_specifier_plugin']) {
    if (route.at(field).exists) lose(route.at(field), `no rule asks for ${field}`);
  }
  rewriteLosses(route, ir, lose);
  const mirrors = route.at('request_mirror_policies');
  const found = mirrors.items.map((mirror) => String(mirror.at('cluster').value));
  expectList(mirrors, found, ir.mirrors?.map(({ cluster }) => cluster) ?? [], lose);
}

/** Access rules of the destination look at path and host. */
function rewriteLosses(route: Fragment, { rewrite, authority }: ForwardActionIR, lose: Lose): void {
  expectValue(route.at('host_rewrite_literal'), authority, lose);
  expectValue(route.at('prefix_rewrite'), rewrite?.kind === 'whole' ? rewrite.path : undefined, lose);
  const regex = rewrite?.kind === 'regex' ? rewrite : undefined;
  expectValue(route.at('regex_rewrite', 'pattern', 'regex'), regex?.pattern, lose);
  expectValue(route.at('regex_rewrite', 'substitution'), regex?.substitution, lose);
}
