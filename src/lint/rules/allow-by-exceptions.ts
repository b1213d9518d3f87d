import { fieldsOf, rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A rule whose fields all are `not…` fields; one of paths for everybody is told by itself. */
export const rule: Rule = {
  code: 'allow-by-exceptions',
  id: 'MP322',
  severity: 'info',
  category: 'authorization',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an ALLOW rule of exceptions alone',
  why: 'whatever comes later, and is not among the exceptions, is let in',
  hint: 'list what is allowed',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of rulesOf(snapshot.policies.authorizationPolicies)) {
      if ((policy.spec.action ?? 'ALLOW') !== 'ALLOW') continue;
      const names = fieldsOf(own, path).flatMap(({ fields }) => Object.keys(fields));
      if (names.length === 0 || names.includes('notPaths') || names.some((name) => !/^not[A-Z]/.test(name))) continue;
      const message = `this rule has exceptions alone (${[...new Set(names)].join(', ')}): everything else is allowed`;
      report({ object: policy, path, message });
    }
  },
};
