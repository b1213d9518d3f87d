import type { DestinationRule, Subset, TrafficPolicy } from '../../policy/destination-rule.ts';

/** A part of a rule with the rule that it came from. */
export interface Owned<T> {
  readonly value: T;
  readonly rule: DestinationRule;
  /** Path of the value from the rule's root. */
  readonly path: readonly (string | number)[];
}

/** Several rules for one host as one: the oldest traffic policy as a whole, and all subsets by name. */
export interface MergedRule {
  readonly rules: readonly DestinationRule[];
  readonly traffic: Owned<TrafficPolicy> | undefined;
  /** By name. */
  readonly subsets: readonly Owned<Subset>[];
  /** Traffic policies of younger rules, which have no effect. */
  readonly shadowedTraffic: readonly Owned<TrafficPolicy>[];
  /** Subsets whose name an older one has. */
  readonly shadowedSubsets: readonly Owned<Subset>[];
}

/** `rules` are oldest first. */
export function mergeRules(rules: readonly DestinationRule[]): MergedRule {
  const traffic: Owned<TrafficPolicy>[] = [];
  const subsets = new Map<string, Owned<Subset>>();
  const shadowedSubsets: Owned<Subset>[] = [];
  for (const rule of rules) {
    const value = rule.spec.trafficPolicy;
    if (value !== undefined) traffic.push({ value, rule, path: ['spec', 'trafficPolicy'] });
    for (const [i, subset] of (rule.spec.subsets ?? []).entries()) {
      const owned = { value: subset, rule, path: ['spec', 'subsets', i] };
      if (subsets.has(subset.name)) shadowedSubsets.push(owned);
      else subsets.set(subset.name, owned);
    }
  }
  const [first, ...shadowedTraffic] = traffic;
  return {
    rules,
    traffic: first,
    subsets: [...subsets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, subset]) => subset),
    shadowedTraffic,
    shadowedSubsets,
  };
}
