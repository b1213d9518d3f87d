import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { checkMessage } from '../../envoy/api/check.ts';
import type { BootstrapIR, ProxyIR } from '../ir/proxy.ts';
import { type EnvoyConfig, messageTypes, type Resource } from '../render/resource.ts';
import { BootstrapNames } from './bootstrap-names.ts';
import { checkFilters } from './filters.ts';
import { Findings } from './finding.ts';
import { assignmentOf, checkLosses } from './losses.ts';
import { hasSoundNames, namesOfBootstrap } from './names.ts';
import { checkReferences } from './references.ts';
import { checkNames, checkUniqueness } from './uniqueness.ts';

/** What one compiler found sound. */
export class Verified {
  readonly resources = new WeakSet<Resource>();
  /** Lists all of whose resources are sound: what a fleet shares is looked through once. */
  readonly lists = new WeakSet<readonly Resource[]>();
  /** Names of sound bootstraps, by what these are made from: they may be made again. */
  readonly bootstraps = new BootstrapNames();
  /** By their bootstrap, sets that are sound with it, each by itself and all together: no two proxies share one. */
  readonly together = new WeakMap<BootstrapIR, Pick<EnvoyConfig, 'own' | 'shared'>>();
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
  if (isPutTogetherOf(proxy, config, verified)) return;
  const known = new Map<Resource, Findings>();
  const findingsOf = (resource: Resource): Findings => {
    const findings = known.get(resource) ?? new Findings(resource, bag);
    known.set(resource, findings);
    return findings;
  };
  const isSound = (resource: Resource): boolean => (known.get(resource)?.faults ?? 0) === 0;
  const bootstrapNames = verified.bootstraps.of(proxy.bootstrap);
  const isNew = bootstrapNames === undefined;
  const unread = [...(isNew ? [config.bootstrap] : []), ...unreadOf(config, verified)];

  // Each check looks only at what the one before found sound: it would tell the same mistake in other words.
  for (const resource of unread) checkApi(resource, findingsOf(resource));
  for (const resource of unread.filter(isSound)) {
    checkUniqueness(resource, findingsOf(resource));
    checkFilters(resource, findingsOf(resource));
  }
  if (!hasSoundNames(config, bootstrapNames ?? namesOfBootstrap(config.bootstrap))) {
    checkNames(config, findingsOf);
    checkReferences(config, findingsOf);
  }
  for (const resource of unread.filter(isSound)) {
    checkLosses(resource, wantedBy(proxy, resource), { proxy, delivery: config.delivery }, findingsOf(resource));
  }
  for (const resource of unread.filter(isSound)) verified.resources.add(resource);
  if (isNew && isSound(config.bootstrap)) verified.bootstraps.add(proxy.bootstrap, config.bootstrap);
  if ([...known.keys()].some((resource) => !isSound(resource))) return;
  verified.together.set(proxy.bootstrap, { own: config.own, shared: config.shared });
  for (const list of listsOf(config)) {
    if (!verified.lists.has(list) && list.every((it) => verified.resources.has(it))) verified.lists.add(list);
  }
}

/** Whether all of a configuration was found sound in another: a change of endpoints makes new ones of a whole fleet. */
function isPutTogetherOf({ bootstrap }: ProxyIR, config: EnvoyConfig, { together, lists }: Verified): boolean {
  const known = together.get(bootstrap);
  return (
    known?.shared === config.shared &&
    known.own === config.own &&
    lists.has(config.sharedEndpoints) &&
    lists.has(config.ownEndpoints)
  );
}

/** All but the bootstrap, in the order of the configuration's lists. */
function unreadOf(config: EnvoyConfig, { resources, lists }: Verified): readonly Resource[] {
  const { own, shared, ownEndpoints, sharedEndpoints } = config;
  const unread = parts.map((part) => {
    if (!lists.has(shared[part])) return config[part];
    return lists.has(own[part]) ? [] : own[part];
  });
  const apart = [ownEndpoints, sharedEndpoints].filter((list) => !lists.has(list));
  return [...unread, ...apart].flatMap((list) => list.filter((resource) => !resources.has(resource)));
}

const parts = ['listeners', 'clusters', 'routes'] as const;

function listsOf({ own, shared, ownEndpoints, sharedEndpoints }: EnvoyConfig): readonly (readonly Resource[])[] {
  return [...[own, shared].flatMap((set) => parts.map((part) => set[part])), ownEndpoints, sharedEndpoints];
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
  if (type === 'bootstrap') return undefined;
  return named(inbound[`${type}s`]).get(name) ?? named(outbound[`${type}s`]).get(name);
}

/** Many proxies share a list: its parts are found by name. */
const byNames = new WeakMap<readonly Named[], ReadonlyMap<string, object>>();

type Named = { readonly name: string };

function named(list: readonly Named[]): ReadonlyMap<string, object> {
  let known = byNames.get(list);
  if (known === undefined) {
    known = new Map(list.map((part) => [part.name, part]));
    byNames.set(list, known);
  }
  return known;
}
