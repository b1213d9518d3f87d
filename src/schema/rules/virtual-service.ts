import type { JsonPath } from '../../diagnostics/span.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import type { Report, Rule } from '../rule.ts';
import { hostCover } from './host-cover.ts';
import { checkHttpRoute } from './http-route.ts';
import { checkReachability } from './reachability.ts';
import { checkTotalWeight } from './weights.ts';

/** Validation of VirtualService beyond its schema. */
export const virtualServiceRules: readonly Rule<VirtualService>[] = [
  checkDelegate,
  checkHasRoutes,
  checkMeshWideHost,
  checkHostOverlap,
  checkHttpRoutes,
  checkSniHosts,
  checkConnectionWeights,
  checkReachability,
];

/** An object without hosts is a delegate: HTTP routes for others to include, bound to nothing itself. */
function checkDelegate({ spec }: VirtualService, report: Report): void {
  if ((spec.hosts ?? []).length > 0) return;
  if (spec.hosts !== undefined || spec.http === undefined) {
    report('virtual-service-without-hosts', ['spec'], {}, { part: 'key' });
    return;
  }
  for (const field of ['gateways', 'tls', 'tcp'] as const) {
    if (spec[field] !== undefined) report('delegate-with-binding', ['spec', field], { field }, { part: 'key' });
  }
  for (const [i, { delegate, match }] of spec.http.entries()) {
    if (delegate !== undefined) report('nested-delegate', ['spec', 'http', i, 'delegate'], {}, { part: 'key' });
    for (const [j, one] of (match ?? []).entries()) {
      for (const field of ['gateways', 'sourceLabels', 'sourceNamespace'] as const) {
        if (one[field] === undefined) continue;
        report('delegate-with-binding', ['spec', 'http', i, 'match', j, field], { field }, { part: 'key' });
      }
    }
  }
}

function checkHasRoutes({ spec }: VirtualService, report: Report): void {
  const routes = [...(spec.http ?? []), ...(spec.tls ?? []), ...(spec.tcp ?? [])];
  if ((spec.hosts ?? []).length > 0 && routes.length === 0) {
    report('virtual-service-without-routes', ['spec'], {}, { part: 'key' });
  }
}

function checkMeshWideHost({ spec }: VirtualService, report: Report): void {
  const isBoundToMesh = (spec.gateways ?? []).length === 0 || spec.gateways?.includes('mesh');
  const index = (spec.hosts ?? []).indexOf('*');
  if (isBoundToMesh && index !== -1) report('mesh-wide-host', ['spec', 'hosts', index], {});
}

function checkHostOverlap({ spec }: VirtualService, report: Report): void {
  const hosts = spec.hosts ?? [];
  const coverOf = hostCover(hosts);
  const reported = new Set<number>();
  for (const [i, host] of hosts.entries()) {
    const cover = coverOf(host, i);
    if (cover === undefined) continue;
    const [first, later] = [Math.min(i, cover), Math.max(i, cover)];
    if (reported.has(later)) continue;
    reported.add(later);
    report('overlapping-hosts', ['spec', 'hosts', later], { host: hosts[later] ?? '', other: hosts[first] ?? '' });
  }
}

function checkHttpRoutes({ spec }: VirtualService, report: Report): void {
  for (const [i, route] of (spec.http ?? []).entries()) checkHttpRoute(route, ['spec', 'http', i], report);
}

/** The object is looked up by its hosts: a server name outside of them would never be served. */
function checkSniHosts({ spec }: VirtualService, report: Report): void {
  const coverOf = hostCover(spec.hosts ?? []);
  for (const [i, { match }] of (spec.tls ?? []).entries()) {
    for (const [j, { sniHosts }] of match.entries()) {
      for (const [k, host] of sniHosts.entries()) {
        if (coverOf(host) !== undefined) continue;
        report('sni-host-not-in-hosts', ['spec', 'tls', i, 'match', j, 'sniHosts', k], { host });
      }
    }
  }
}

function checkConnectionWeights({ spec }: VirtualService, report: Report): void {
  const check = (field: 'tls' | 'tcp'): void => {
    for (const [i, { route }] of (spec[field] ?? []).entries()) {
      const path: JsonPath = ['spec', field, i, 'route'];
      checkTotalWeight(route, path, report);
    }
  };
  check('tls');
  check('tcp');
}
