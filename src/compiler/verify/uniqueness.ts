import { Fragment } from '../../envoy/api/fragment.ts';
import type { EnvoyConfig, Resource } from '../render/resource.ts';
import { listenersOf } from './filters.ts';
import type { Findings } from './finding.ts';

/** Inside one resource: names and matches of filter chains, names and domains of virtual hosts. */
export function checkUniqueness(resource: Resource, findings: Findings): void {
  for (const listener of listenersOf(resource)) {
    const chains = listener.at('filter_chains').items;
    const all = [...chains, listener.at('default_filter_chain')].filter((chain) => chain.exists);
    checkItems(all, 'filter chains', findings);
    checkMatches(chains, findings);
  }
  if (resource.type === 'bootstrap') {
    const fixed = new Fragment(resource.json).at('static_resources');
    for (const what of ['listeners', 'clusters']) {
      // Envoy names listeners that have no name.
      const items = fixed.at(what).items.filter((item) => item.at('name').exists);
      checkItems(items, what, findings);
    }
  }
  if (resource.type === 'route') {
    const hosts = new Fragment(resource.json).at('virtual_hosts').items;
    checkItems(hosts, 'virtual hosts', findings);
    checkDomains(hosts, findings);
  }
}

/** Across one configuration: names of listeners, clusters (the bootstrap's too) and route configurations. */
export function checkNames(config: EnvoyConfig, findingsOf: (resource: Resource) => Findings): void {
  const fixed = new Fragment(config.bootstrap.json).at('static_resources');
  const lists = [
    { what: 'listeners', resources: config.listeners, taken: fixed.at('listeners') },
    { what: 'clusters', resources: config.clusters, taken: fixed.at('clusters') },
    { what: 'route configurations', resources: config.routes, taken: new Fragment(undefined) },
  ];
  for (const { what, resources, taken } of lists) {
    const names = new Set(taken.items.map((item) => item.at('name').value));
    for (const resource of resources) {
      const name = resource.json.name;
      if (!names.has(name)) {
        names.add(name);
        continue;
      }
      const holes = { resource: 'configuration', what, name: String(name) };
      findingsOf(resource).report('output-duplicate-name', ['name'], holes);
    }
  }
}

function checkItems(items: readonly Fragment[], what: string, findings: Findings): void {
  const names = new Set<unknown>();
  for (const item of items) {
    const name = item.at('name');
    if (names.has(name.value)) {
      const holes = { resource: findings.label, what, name: String(name.value ?? '') };
      findings.report('output-duplicate-name', name.path, holes);
    }
    names.add(name.value);
  }
}

/** Domains are compared without case, as Envoy does. */
function checkDomains(hosts: readonly Fragment[], findings: Findings): void {
  const domains = new Set<string>();
  for (const host of hosts) {
    const listed = host.at('domains');
    for (const value of Array.isArray(listed.value) ? (listed.value as unknown[]) : []) {
      const domain = String(value).toLowerCase();
      if (domains.has(domain)) {
        findings.report('output-duplicate-domain', listed.path, { resource: findings.label, domain });
      }
      domains.add(domain);
    }
  }
}

/** Envoy compares each combination of the lists' elements: two chains that share one combination are refused. */
function checkMatches(chains: readonly Fragment[], findings: Findings): void {
  const seen = new Map<string, Fragment>();
  for (const chain of chains) {
    for (const combination of new Set(combinations(chain.at('filter_chain_match')))) {
      const first = seen.get(combination);
      if (first === undefined) {
        seen.set(combination, chain);
        continue;
      }
      const [a, b] = [first, chain].map((one) => String(one.at('name').value ?? ''));
      const holes = { resource: findings.label, first: a ?? '', second: b ?? '' };
      const match = chain.at('filter_chain_match');
      findings.report('output-duplicate-match', match.exists ? match.path : chain.path, holes);
      break;
    }
  }
}

function combinations(match: Fragment): string[] {
  let found = [''];
  for (const field of [...match.fields].sort()) {
    const { value } = match.at(field);
    const options = Array.isArray(value) ? (value.length === 0 ? undefined : value) : [value];
    if (options === undefined) continue;
    found = found.flatMap((rest) =>
      options.map((option) => `${rest}\n${field}=${JSON.stringify(option).toLowerCase()}`),
    );
  }
  return found;
}
