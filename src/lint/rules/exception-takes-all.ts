import { coversAll } from '../authorization/covers.ts';
import { fieldsOf, rulesOf } from '../authorization/walk.ts';
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
  title: 'an exception that takes everything that its field matches',
  why: 'nothing matches both, so that this part of the rule never holds',
  hint: 'remove the value from one of the two fields',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path: root } of rulesOf(snapshot.policies.authorizationPolicies)) {
      for (const { fields, path } of fieldsOf(own, root)) {
        for (const [field, values = []] of Object.entries(fields)) {
          const except = `not${field[0]?.toUpperCase()}${field.slice(1)}`;
          const others = fields[except] ?? [];
          if (values.length === 0 || others.length === 0 || !coversAll(others, values)) continue;
          const message = `"${except}" takes every value of "${field}" beside it: nothing matches both`;
          report({ object: policy, path: [...path, except], part: 'key', message });
        }
      }
    }
  },
};
