import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { checkMessage } from '../../envoy/api/check.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import { type EnvoyConfig, messageTypes, type Resource, type ResourceSet } from '../render/resource.ts';
import { checkFilters } from './filters.ts';
import { Findings } from './finding.ts';
import { assignmentOf, checkLosses } from './losses.ts';
import { hasSoundNames } from './names.ts';
import { checkReferences } from './references.ts';
import { checkNames, checkUniqueness } from './uniqueness.ts';

/** What one compiler found sound. */
export class Verified {
  readonly resources = new WeakSet<Resource>();
  /** Sets all of whose resources are sound: a fleet's shared set is looked through once. */
  readonly sets = new WeakSet<ResourceSet>();
  /** Lists of endpoints, all of them sound. */
  readonly lists = new WeakSet<readonly Resource[]>();
  /** An unchanged proxy gives the same configuration. */
  readonly configs = new WeakMap<EnvoyConfig, ProxyIR>();
}

/**
 * Holds the output against Envoy's API, against itself (names, references) and against the IR: every rule that went
 * into the templates must have come out. What is in `verified` is taken as read, and what has no fault is added.
 */
export function verify(
  proxy: ProxyIR,
  config: EnvoyConfig,
  bag: DiagnosticBag,
  verified: Verified = new Verified(),
): void {
  if (verified.configs.get(config) === proxy) return;
  const known = new Map<Resource, Findings>();
  const findingsOf = (resource: Resource): Findings => {
    const findings = known.get(resource) ?? new Findings(resource, bag);
    known.set(resource, findings);
    return findings;
  };
  const isSound = (resource: Resource): boolean => (known.get(resource)?.faults ?? 0) === 0;
  const sets = [config.own, config.shared].filter((set) => !verified.sets.has(set));
  const lists = [config.ownEndpoints, config.sharedEndpoints].filter((list) => !verified.lists.has(list));
  const apart = lists.flat().filter((resource) => !verified.resources.has(resource));
  const unread = [...unreadOf(config, sets, verified), ...apart];

  // Each check looks only at what the one before found sound: it would tell the same mistake in other words.
  for (const resource of unread) checkApi(resource, findingsOf(resource));
  for (const resource of unread.filter(isSound)) {
    checkUniqueness(resource, findingsOf(resource));
    checkFilters(resource, findingsOf(resource));
  }
  if (!hasSoundNames(config)) {
    checkNames(config, findingsOf);
    checkReferences(config, findingsOf);
  }
  for (const resource of unread.filter(isSound)) {
    checkLosses(resource, wantedBy(proxy, resource), { proxy, delivery: config.delivery }, findingsOf(resource));
  }
  for (const resource of unread.filter(isSound)) verified.resources.add(resource);
  if ([...known.keys()].some((resource) => !isSound(resource))) return;
  verified.configs.set(config, proxy);
  for (const list of lists) verified.lists.add(list);
  for (const set of sets) if (allOf(set).every((resource) => verified.resources.has(resource))) verified.sets.add(set);
}

/** In the order of the configuration's lists. */
function unreadOf(config: EnvoyConfig, sets: readonly ResourceSet[], { resources }: Verified): readonly Resource[] {
  const read = (resource: Resource): boolean => resources.has(resource);
  const all = sets.includes(config.shared) ? allOf(config) : allOf(config.own);
  return [config.bootstrap, ...all].filter((resource) => !read(resource));
}

function allOf({ listeners, clusters, routes }: ResourceSet): readonly Resource[] {
  return [...listeners, ...clusters, ...routes];
}

function checkApi(resource: Resource, findings: Findings): void {
  const isBuiltIn = resource.placeInTemplate === undefined;
  if (resource.type === 'route' && isBuiltIn && isSoundTable(resource.json)) return;
  for (const { path, message, hint } of checkMessage(messageTypes[resource.type], resource.json)) {
    findings.report(
      'output-invalid',
      path,
      { resource: findings.label, path: path || 'its root', reason: message },
      hint,
    );
  }
}

/** Virtual hosts in which nothing was found: they stand in the tables of many client scopes. */
const soundHosts = new WeakSet<object>();

/** A route table part by part. Where this finds a fault, the whole tells its place. */
function isSoundTable(table: Resource['json']): boolean {
  const { virtual_hosts: hosts } = table;
  if (!Array.isArray(hosts) || !hosts.every((host: unknown) => typeof host === 'object' && host !== null)) return false;
  for (const host of hosts.filter((it: object) => !soundHosts.has(it))) {
    if (checkMessage('envoy.config.route.v3.VirtualHost', host).length > 0) return false;
    soundHosts.add(host);
  }
  return checkMessage(messageTypes.route, { ...table, virtual_hosts: hosts.slice(0, 1) }).length === 0;
}

/** What a resource was rendered from. */
function wantedBy({ inbound, outbound, assignments }: ProxyIR, { type, name }: Resource): object | undefined {
  if (type === 'endpoints') return assignmentOf(assignments, name);
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
