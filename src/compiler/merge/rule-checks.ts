import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { append } from '../../lib/append.ts';
import type { DestinationRule, TrafficPolicy } from '../../policy/destination-rule.ts';
import { isWildcard, subsetOf } from '../topology/host.ts';
import type { Service, Topology } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';
import { hasLabels } from '../topology/selector.ts';
import { isOfUnseenNamespace } from '../topology/unseen-namespace.ts';
import { reportIdleTraffic } from './idle-traffic.ts';
import { hintOfPort } from './meant-port.ts';
import { OlderRules } from './older-rules.ts';
import { checkWorkloadSelector } from './reach-checks.ts';
import { hostOf } from './rule-index.ts';
import { ServiceHosts } from './service-hosts.ts';

/**
 * Reports what has no effect in rules: ports that no service has, and what an older rule for the host shuts out. `rules`
 * are oldest first.
 */
export function checkRules(
  rules: readonly DestinationRule[],
  topology: Topology,
  settings: Settings,
  bag: DiagnosticBag,
): void {
  const byHost = new Map<string, Service[]>();
  for (const service of topology.services) append(byHost, service.host, service);
  const aliased = new Map(topology.services.flatMap((it) => it.aliases.map(({ host }) => [host, it.host] as const)));
  const hosts = new ServiceHosts(topology.services);
  const rivals = new Map<string, OlderRules>();
  for (const rule of rules) {
    const host = hostOf(rule, settings.clusterDomain);
    const services = isWildcard(host)
      ? topology.services.filter((service) => subsetOf(service.host, host))
      : (byHost.get(host) ?? []);
    if (services.length === 0) {
      const target = aliased.get(host);
      const hint = target
        ? `it is another name of "${target}": write the rule for that host`
        : hintFor(host, hosts, settings.clusterDomain);
      const isUnseen = target === undefined && isOfUnseenNamespace(host, topology, settings.clusterDomain);
      bag.report('unknown-host', rule.document.spanOf(['spec', 'host']), { host }, { hint, isUnseen });
    }
    checkPorts(rule, host, services, bag);
    if (!isWildcard(host)) reportIdleTraffic(rule, host, services, settings, bag);
    const { workloadSelector } = rule.spec;
    if (hasLabels(workloadSelector))
      checkWorkloadSelector(rule, workloadSelector?.matchLabels ?? {}, { topology }, bag);
    const key = `${rule.namespace} ${host} ${JSON.stringify(Object.entries(rule.spec.workloadSelector?.matchLabels ?? {}).sort())}`;
    const older = rivals.get(key) ?? new OlderRules(settings.defaultDestinationRuleExportTo);
    rivals.set(key, older);
    checkRivals(rule, host, older, bag);
    older.add(rule);
  }
}

/** What to do about a host that no service has. */
function hintFor(host: string, hosts: ServiceHosts, clusterDomain: string): string | undefined {
  const near = hosts.nearest(host) ?? hosts.fuller(host);
  if (near !== undefined) return `did you mean "${near}"?`;
  const isFull = host.endsWith(`.svc.${clusterDomain}`);
  const only = isFull ? hosts.onlyBeside(host) : undefined;
  if (only !== undefined) return `write "${only}", the only service of that namespace in the inputs, if it is meant`;
  return isFull ? 'correct the name or its namespace, or add the service to the inputs' : undefined;
}

/** A host that no service has is reported once, not once a port. */
function checkPorts(rule: DestinationRule, host: string, services: readonly Service[], bag: DiagnosticBag): void {
  if (services.length === 0) return;
  const check = (policy: TrafficPolicy | undefined, path: JsonPath): void => {
    for (const [i, { port }] of (policy?.portLevelSettings ?? []).entries()) {
      if (services.some((service) => service.ports.some(({ number }) => number === port.number))) continue;
      const span = rule.document.spanOf([...path, 'portLevelSettings', i, 'port', 'number']);
      const holes = { port: String(port.number), hosts: `"${host}"` };
      bag.report('unknown-service-port', span, holes, { hint: hintOfPort(services, port.number) });
    }
  };
  check(rule.spec.trafficPolicy, ['spec', 'trafficPolicy']);
  for (const [i, subset] of (rule.spec.subsets ?? []).entries()) {
    check(subset.trafficPolicy, ['spec', 'subsets', i, 'trafficPolicy']);
  }
}

/** `older` are the rules of the same namespace for the same host and clients. */
function checkRivals(rule: DestinationRule, host: string, older: OlderRules, bag: DiagnosticBag): void {
  const first = rule.spec.trafficPolicy === undefined ? undefined : older.withPolicy(rule);
  if (first !== undefined) {
    const path = ['spec', 'trafficPolicy'];
    const related = [{ message: 'the one that applies', span: first.document.spanOf(path, 'key') }];
    const span = rule.document.spanOf(path, 'key');
    bag.report('ignored-traffic-policy', span, { host, kept: nameOf(first) }, { related });
  }
  for (const [i, { name }] of (rule.spec.subsets ?? []).entries()) {
    const kept = older.withSubset(rule, name);
    if (kept === undefined) continue;
    const index = kept.spec.subsets?.findIndex((subset) => subset.name === name) ?? 0;
    const related = [
      { message: 'the one that applies', span: kept.document.spanOf(['spec', 'subsets', index, 'name']) },
    ];
    const span = rule.document.spanOf(['spec', 'subsets', i, 'name']);
    bag.report('duplicate-subset', span, { subset: name, host, kept: nameOf(kept) }, { related });
  }
}
