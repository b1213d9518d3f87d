import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { checkMessage } from '../../envoy/api/check.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import { type EnvoyConfig, messageTypes, type Resource } from '../render/resource.ts';
import { checkFilters } from './filters.ts';
import { Findings } from './finding.ts';
import { checkLosses } from './losses.ts';
import { checkReferences } from './references.ts';
import { checkNames, checkUniqueness } from './uniqueness.ts';

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
  const sound = soundConfigs.get(verified) ?? new WeakMap<EnvoyConfig, ProxyIR>();
  soundConfigs.set(verified, sound);
  if (sound.get(config) === proxy) return;
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
  for (const resource of unread.filter(isSound)) {
    checkLosses(resource, wantedBy(proxy, resource), proxy, findingsOf(resource));
  }
  for (const resource of unread.filter(isSound)) verified.add(resource);
  if (allOf(config).every(isSound)) sound.set(config, proxy);
}

/** Configurations without a fault, by the set that their resources are in: an unchanged proxy gives the same object. */
const soundConfigs = new WeakMap<WeakSet<Resource>, WeakMap<EnvoyConfig, ProxyIR>>();

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

/** What a resource was rendered from. */
function wantedBy({ inbound, outbound }: ProxyIR, { type, name }: Resource): object | undefined {
  const key = `${type} ${name}`;
  return partsOf(inbound).get(key) ?? partsOf(outbound).get(key);
}

/** Many proxies share one outbound half: its parts are listed once. */
const listed = new WeakMap<object, ReadonlyMap<string, object>>();

function partsOf(half: ProxyIR['inbound'] | ProxyIR['outbound']): ReadonlyMap<string, object> {
  let parts = listed.get(half);
  if (parts === undefined) {
    parts = new Map<string, object>([
      ...half.listeners.map((listener) => [`listener ${listener.name}`, listener] as const),
      ...half.clusters.map((cluster) => [`cluster ${cluster.name}`, cluster] as const),
      ...half.routes.map((route) => [`route ${route.name}`, route] as const),
    ]);
    listed.set(half, parts);
  }
  return parts;
}
