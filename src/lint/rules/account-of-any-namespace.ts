import { takesAccess } from '../../policy/authorization-policy.ts';
import { sourceValues } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** The star at the beginning of a principal stands for the namespace too. */
export const rule: Rule = {
  code: 'account-of-any-namespace',
  id: 'MP414',
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a principal that names a service account, but not its namespace',
  why: 'whoever may create a service account of that name, in any namespace, is let in',
  hint: 'name the namespace: "*/ns/<namespace>/sa/<service account>"',
  check({ snapshot, report }) {
    for (const at of sourceValues(snapshot, 'principals', 'notPrincipals')) {
      const { policy, rule: own, field, value, path } = at;
      if (takesAccess(policy.spec.action ?? 'ALLOW', field === 'notPrincipals')) continue;
      if (!/^\*.*[^*]$/.test(value) || value.includes('/ns/') || value.startsWith('*ns/')) continue;
      if (own.from?.some(({ source }) => source[field]?.includes(value) && source.namespaces !== undefined)) continue;
      report({ object: policy, path, message: `"${value}" matches service accounts of every namespace` });
    }
  },
};
