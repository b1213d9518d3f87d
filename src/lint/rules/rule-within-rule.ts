import type { AuthorizationRule } from '../../policy/authorization-policy.ts';
import { coversRule } from '../authorization/covers.ts';
import type { Rule } from '../rule.ts';

/** So many rules of one policy are compared with each other. */
const mostRules = 200;

/** A rule that another rule of the same policy makes superfluous. */
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
  title: 'a rule that another rule of the same policy contains',
  why: 'the rule has no effect of its own: narrowing or removing it does not change access',
  hint: 'remove the rule, or narrow the other one',
  check({ snapshot, report }) {
    for (const policy of snapshot.policies.authorizationPolicies) {
      const rules = (policy.spec.rules ?? []).slice(0, mostRules);
      for (const [index, narrow] of rules.entries()) {
        const wide = rules.findIndex((other, i) => i !== index && isBehind(other, i, narrow, index));
        if (wide === -1) continue;
        report({
          ...{ object: policy, path: ['spec', 'rules', index] },
          message: `rule ${index + 1} matches nothing that rule ${wide + 1} does not match too`,
          related: [{ object: policy, path: ['spec', 'rules', wide], message: 'the wider rule' }],
        });
      }
    }
  },
};

/** Of two equal rules the later one is told. An empty rule beside others is told as what it is. */
function isBehind(wide: AuthorizationRule, at: number, narrow: AuthorizationRule, index: number): boolean {
  return Object.keys(wide).length > 0 && coversRule(wide, narrow) && (at < index || !coversRule(narrow, wide));
}
