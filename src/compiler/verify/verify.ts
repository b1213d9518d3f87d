import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { checkMessage } from '../../envoy/api/check.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import type { EnvoyConfig, Resource, ResourceType } from '../render/resource.ts';
import { checkFilters } from './filters.ts';
import { Findings } from './finding.ts';
import { checkLosses } from './losses.ts';
import { checkReferences } from './references.ts';
import { checkNames, checkUniqueness } from './uniqueness.ts';

const messageTypes: Readonly<Record<ResourceType, string>> = {
  bootstrap: 'envoy.config.bootstrap.v3.Bootstrap',
  listener: 'envoy.config.listener.v3.Listener',
  route: 'envoy.config.route.v3.RouteConfiguration',
  cluster: 'envoy.config.cluster.v3.Cluster',
};

/**
 * Holds the output against Envoy's API, against itself (names, references) and against the IR: every rule that went
 * into the templates must have come out. Resources in `verified` are taken as read, and those without a fault are added.
 */
export function verify(
  proxy: ProxyIR,
  config: EnvoyConfig,
  bag: DiagnosticBag,
  verified: WeakSet<Resource> = new WeakSet(),
): void {
  const known = new Map<Resource, Findings>();
  const findingsOf = (resource: Resource): Findings => {
    const findings = known.get(resource) ?? new Findings(resource, bag);
    known.set(resource, findings);
    return findings;
  };
  const isSound = (resource: Resource): boolean => (known.get(resource)?.faults ?? 0) === 0;
  const unread = allOf(config).filter((resource) => !verified.has(resource));

  // Each check looks only at what the one before found sound: it would tell the same mistake in other words.
  for (const resource of unread) checkApi(resource, findingsOf(resource));
  for (const resource of unread.filter(isSound)) {
    checkUniqueness(resource, findingsOf(resource));
    checkFilters(resource, findingsOf(resource));
  }
  checkNames(config, findingsOf);
  checkReferences(config, findingsOf);
  const wanted = unread.length === 0 ? undefined : wantedBy(proxy);
  for (const resource of unread.filter(isSound)) {
    checkLosses(resource, wanted?.get(`${resource.type} ${resource.name}`), proxy, findingsOf(resource));
  }
  for (const resource of unread.filter(isSound)) verified.add(resource);
}

function allOf(config: EnvoyConfig): readonly Resource[] {
  return [config.bootstrap, ...config.listeners, ...config.clusters, ...config.routes];
}

function checkApi(resource: Resource, findings: Findings): void {
  for (const { path, message, hint } of checkMessage(messageTypes[resource.type], resource.json)) {
    findings.report(
      'output-invalid',
      path,
      { resource: findings.label, path: path || 'its root', reason: message },
      hint,
    );
  }
}

/** What each resource was rendered from, by type and name. */
function wantedBy({ inbound, outbound }: ProxyIR): ReadonlyMap<string, object> {
  const wanted = new Map<string, object>();
  for (const half of [outbound, inbound]) {
    for (const listener of half.listeners) wanted.set(`listener ${listener.name}`, listener);
    for (const cluster of half.clusters) wanted.set(`cluster ${cluster.name}`, cluster);
    for (const route of half.routes) wanted.set(`route ${route.name}`, route);
  }
  return wanted;
}
