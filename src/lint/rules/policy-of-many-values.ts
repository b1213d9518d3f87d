import type { JsonPath } from '../../diagnostics/span.ts';
import { fieldsOf, rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Beyond these numbers nobody reads a policy in a review any more. */
const mostRules = 100;
const mostValues = 200;

/** A policy that nobody can review. */
export const rule: Rule = {
  code: 'policy-of-many-values',
  id: 'MP904',
  severity: 'info',
  category: 'hygiene',
  direction: 'none',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: `a policy with more than ${mostRules} rules, or more than ${mostValues} values in one field`,
  why: 'the proxy compares a request with one after the other, and a mistake among so many is easily overlooked in a review',
  hint: 'split the policy, or write patterns and address blocks in place of single values',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.authorizationPolicies) {
      const { rules = [] } = object.spec;
      if (rules.length > mostRules) {
        report({
          object,
          path: ['spec', 'rules'],
          part: 'key',
          message: `${rules.length} rules, more than ${mostRules}`,
        });
      }
      for (const { rule: own, path: root } of rulesOf([object])) {
        for (const { fields, path } of fieldsOf(own, root)) {
          for (const [name, count] of longOnes(fields)) {
            const place: JsonPath = [...path, name];
            report({
              object,
              path: place,
              part: 'key',
              message: `"${name}" has ${count} values, more than ${mostValues}`,
            });
          }
        }
      }
    }
  },
};

function longOnes(fields: Readonly<Record<string, readonly string[] | undefined>>): readonly [string, number][] {
  return Object.entries(fields).flatMap(([name, values = []]): [string, number][] =>
    values.length > mostValues ? [[name, values.length]] : [],
  );
}
