import { takenFields } from '../authorization/idle-rule.ts';
import { allRulesOf, fieldsOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A field beside its own `not…` field that covers every value of it. */
export const rule: Rule = {
  code: 'exception-takes-all',
  id: 'MP319',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an exception that excludes every value that the rule matches',
  why: 'no request satisfies both fields, so this part of the rule never matches',
  hint: 'remove the value from one of the two fields',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path: root } of allRulesOf(snapshot)) {
      for (const { fields, path } of fieldsOf(own, root)) {
        for (const { field, except } of takenFields(fields)) {
          const message = `"${except}" excludes every value of "${field}" in the same rule: nothing matches both`;
          report({ object: policy, path: [...path, except], part: 'key', message });
        }
      }
    }
  },
};
