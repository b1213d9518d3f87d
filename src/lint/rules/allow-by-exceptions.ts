import { allRulesOf, fieldsOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A rule whose fields all are `not…` fields; `allow-all-but-paths` reports one about paths for every client. */
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
  title: 'an ALLOW rule that has only exceptions ("not…" fields)',
  why: 'every client, path or method that is added later is allowed, unless it is one of the exceptions',
  hint: 'list what is allowed',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
      if ((policy.spec.action ?? 'ALLOW') !== 'ALLOW') continue;
      const names = fieldsOf(own, path).flatMap(({ fields }) => Object.keys(fields));
      if (names.length === 0 || names.includes('notPaths') || names.some((name) => !/^not[A-Z]/.test(name))) continue;
      const message = `this rule has only exceptions (${[...new Set(names)].join(', ')}): everything else is allowed`;
      report({ object: policy, path, message });
    }
  },
};
