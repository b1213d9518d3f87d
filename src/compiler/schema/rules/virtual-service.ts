import type { JsonPath } from '../../../diagnostics/span.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import type { Report, Rule } from '../rule.ts';
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
  for (const [i, { delegate }] of spec.http.entries()) {
    if (delegate !== undefined) report('nested-delegate', ['spec', 'http', i, 'delegate'], {}, { part: 'key' });
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
  for (const [i, host] of hosts.entries()) {
    const other = hosts.slice(0, i).find((before) => isWithin(host, before) || isWithin(before, host));
    if (other !== undefined) report('overlapping-hosts', ['spec', 'hosts', i], { host, other });
  }
}

function checkHttpRoutes({ spec }: VirtualService, report: Report): void {
  for (const [i, route] of (spec.http ?? []).entries()) checkHttpRoute(route, ['spec', 'http', i], report);
}

/** The object is looked up by its hosts: a server name outside of them would never be served. */
function checkSniHosts({ spec }: VirtualService, report: Report): void {
  for (const [i, { match }] of (spec.tls ?? []).entries()) {
    for (const [j, { sniHosts }] of match.entries()) {
      for (const [k, host] of sniHosts.entries()) {
        if ((spec.hosts ?? []).some((outer) => isWithin(host, outer))) continue;
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

/** Every name that `inner` stands for is one that `outer` stands for; without case. */
function isWithin(inner: string, outer: string): boolean {
  const a = inner.toLowerCase();
  const b = outer.toLowerCase();
  if (!b.startsWith('*')) return a === b;
  if (!a.startsWith('*')) return a.endsWith(b.slice(1));
  return a.length >= b.length && a.slice(1).endsWith(b.slice(1));
}
