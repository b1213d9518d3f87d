import type { Settings } from '../config/settings.ts';
import type { RulePredicates } from '../contracts/rule-predicates.ts';
import type { AuthorizationPolicy } from '../policy/authorization-policy.ts';
import { type LoweredPredicates, lowerPredicates, type RulePlace } from './lower/authorization/predicates.ts';
import { rbacPolicyJson } from './render/rbac-view.ts';

/** The predicates of one rule of a policy, each as Envoy would match it on the chains of a place. */
export function rulePredicates(
  policy: AuthorizationPolicy,
  index: number,
  place: RulePlace,
  settings: Pick<Settings, 'trustDomain' | 'trustDomainAliases'>,
): RulePredicates {
  return rendered(lowerPredicates(policy, index, place, settings));
}

function rendered(tree: LoweredPredicates): RulePredicates {
  if (tree.kind !== 'predicate') return { kind: tree.kind, of: tree.of.map(rendered) };
  return { kind: 'predicate', path: tree.path, policy: rbacPolicyJson(tree.rule) };
}
