import type { AuthorizationPolicy, AuthorizationRule } from '../../policy/authorization-policy.ts';
import { isForAnyIdentity } from '../authorization/any-identity.ts';
import { coversRule } from '../authorization/covers.ts';
import { isEnforced } from '../authorization/enforced.ts';
import { type RuleAt, rulesOf } from '../authorization/walk.ts';
import type { Rule, Sighting } from '../rule.ts';
import { bySelector } from '../tokens/meeting.ts';

/** So many rules of one policy, and of the policies of one selector, are compared with each other. */
const mostRules = 200;

/** A rule that another rule for the same workloads makes superfluous. */
export const rule: Rule = {
  code: 'rule-within-rule',
  id: 'MP306',
  peers: ['IST0130'],
  severity: 'warning',
  category: 'authorization',
  direction: 'none',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a rule that another rule with the same action and selector contains',
  why: 'the rule has no effect of its own: narrowing or removing it does not change access',
  hint: 'remove the rule, or narrow the other one',
  check({ snapshot, report }) {
    const { authorizationPolicies } = snapshot.policies;
    const told = new Set<AuthorizationRule>();
    for (const policy of authorizationPolicies) compare(rulesOf([policy]).slice(0, mostRules), told, report);
    for (const policies of bySelector(authorizationPolicies.filter(isEnforced)).values()) {
      if (policies.length === 1) continue;
      for (const same of byAction(policies)) compare(rulesOf(same).slice(0, mostRules), told, report);
    }
  },
};

/** The policies of which one rule does what another would do: a custom authorizer is asked for each of its policies. */
function byAction(policies: readonly AuthorizationPolicy[]): readonly (readonly AuthorizationPolicy[])[] {
  return ['ALLOW', 'DENY', 'AUDIT'].map((wanted) =>
    policies.filter(({ spec: { action = 'ALLOW' } }) => action === wanted),
  );
}

function compare(rules: readonly RuleAt[], told: Set<AuthorizationRule>, report: (sighting: Sighting) => void): void {
  for (const [index, narrow] of rules.entries()) {
    if (told.has(narrow.rule)) continue;
    const wide = rules.find((other, i) => i !== index && isBehind(other.rule, i, narrow.rule, index));
    if (wide === undefined) continue;
    told.add(narrow.rule);
    const isAllowed = (narrow.policy.spec.action ?? 'ALLOW') === 'ALLOW';
    // That one is told of by itself: it is the cause.
    if (isAllowed && isForAnyIdentity(wide.rule)) continue;
    const of = wide.policy === narrow.policy ? '' : ` of "${wide.policy.name}"`;
    report({
      ...{ object: narrow.policy, path: narrow.path },
      message: `rule ${narrow.index + 1} matches nothing that rule ${wide.index + 1}${of} does not match too`,
      hint: isAllowed ? hintOfAllow : undefined,
      related: [{ object: wide.policy, path: wide.path, message: 'the wider rule' }],
    });
  }
}

/** To remove the narrow rule leaves the wide one, which may be the mistake. */
const hintOfAllow = 'narrow the other rule if this one is meant to limit access; otherwise remove this one';

/** Of two equal rules the later one is told. An empty rule beside others is told as what it is. */
function isBehind(wide: AuthorizationRule, at: number, narrow: AuthorizationRule, index: number): boolean {
  return Object.keys(wide).length > 0 && coversRule(wide, narrow) && (at < index || !coversRule(narrow, wide));
}
