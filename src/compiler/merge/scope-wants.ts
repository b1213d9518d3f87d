import { labelKeyAlias } from '../../policy/alias.ts';
import type { DestinationRule, TrafficBlocks } from '../../policy/destination-rule.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';

/** What rules ask of their clients; a scope holds nothing else, so that many clients share one. */
export interface ScopeWants {
  /** By namespace, the `key=value` pairs that selectors of its rules ask for. */
  readonly selected: ReadonlyMap<string, ReadonlySet<string>>;
  /** Labels whose value some `failoverPriority` compares with that of endpoints. */
  readonly compared: ReadonlySet<string>;
  /** Some rule sets shares by locality, or ejects endpoints, after which load moves by locality. */
  readonly isLocalityWanted: boolean;
}

const wantsOfRules = new WeakMap<readonly DestinationRule[], ScopeWants>();

/** Found once a list of rules. */
export function scopeWants(rules: readonly DestinationRule[]): ScopeWants {
  let wants = wantsOfRules.get(rules);
  if (wants === undefined) {
    const blocks = rules.flatMap(allBlocks);
    wants = {
      selected: selectedPairs(rules),
      compared: new Set(blocks.flatMap(({ loadBalancer }) => comparedLabels(loadBalancer?.localityLbSetting))),
      isLocalityWanted: blocks.some(
        ({ loadBalancer, outlierDetection }) =>
          outlierDetection !== undefined || loadBalancer?.localityLbSetting?.distribute !== undefined,
      ),
    };
    wantsOfRules.set(rules, wants);
  }
  return wants;
}

const sourcesOfServices = new WeakMap<readonly VirtualService[], ReadonlySet<string>>();

/** The `key=value` pairs that matches of VirtualServices ask of clients, wherever those are. */
export function wantedSources(services: readonly VirtualService[]): ReadonlySet<string> {
  let wanted = sourcesOfServices.get(services);
  if (wanted === undefined) {
    const matches = services
      .flatMap(({ spec }) => [...(spec.http ?? []), ...(spec.tls ?? []), ...(spec.tcp ?? [])])
      .flatMap(({ match }) => match ?? []);
    wanted = new Set(
      matches.flatMap(({ sourceLabels }) =>
        Object.entries(sourceLabels ?? {}).map(([key, value]) => `${key}=${value}`),
      ),
    );
    sourcesOfServices.set(services, wanted);
  }
  return wanted;
}

/** Labels of a `failoverPriority` that name no value of their own: the client's counts. */
export function comparedLabels(setting: { readonly failoverPriority?: readonly string[] } | undefined): string[] {
  return (setting?.failoverPriority ?? []).filter((label) => !label.includes('=')).map(labelKeyAlias);
}

function allBlocks({ spec }: DestinationRule): TrafficBlocks[] {
  const policies = [spec.trafficPolicy, ...(spec.subsets ?? []).map(({ trafficPolicy }) => trafficPolicy)];
  return policies.flatMap((policy) => (policy === undefined ? [] : [policy, ...(policy.portLevelSettings ?? [])]));
}

function selectedPairs(rules: readonly DestinationRule[]): ReadonlyMap<string, ReadonlySet<string>> {
  const selected = new Map<string, Set<string>>();
  for (const { namespace, spec } of rules) {
    const pairs = Object.entries(spec.workloadSelector?.matchLabels ?? {});
    if (pairs.length === 0) continue;
    const set = selected.get(namespace) ?? new Set();
    selected.set(namespace, set);
    for (const [key, value] of pairs) set.add(`${key}=${value}`);
  }
  return selected;
}
