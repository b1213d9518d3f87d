import type { Source } from '../../policy/authorization-policy.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** The fields of one source hold together: the identity must be in one of its namespaces. */
export const rule: Rule = {
  code: 'identity-outside-namespaces',
  id: 'MP332',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a source with an identity that is in none of its namespaces',
  why: 'a client must match both "namespaces" and "principals", and nobody with that identity is in one of the namespaces',
  hint: 'write two sources if either is enough, or name the namespace of the identity',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
      for (const [i, { source }] of (own.from ?? []).entries()) {
        const { namespaces = [] } = source;
        const outside = impossibleIn(source);
        for (const { field, index, namespace } of outside) {
          report({
            ...{ object: policy, path: [...path, 'from', i, 'source', field, index] },
            message: `"${source[field]?.[index]}" is an identity of namespace "${namespace}", and "namespaces" of the same source has ${namespaces.map((it) => `"${it}"`).join(', ')} alone`,
            why: whyIdle(policy, false, 'a client must match both "namespaces" and "principals", and nobody does'),
            hint:
              outside.length === (source.principals ?? []).length
                ? 'remove "namespaces", which the identities say already; or write two sources if either is enough'
                : undefined,
          });
        }
      }
    }
  },
};

/** The identities that name a namespace whole, and are in none of the source. */
function impossibleIn({ namespaces, principals = [] }: Source) {
  if (namespaces === undefined || namespaces.length === 0) return [];
  return principals.flatMap((principal, index) => {
    const namespace = /^[^/]*\/ns\/([^/*]+)\/sa\//.exec(principal)?.[1];
    return namespace === undefined || namespaces.some((pattern) => isWithin(namespace, pattern))
      ? []
      : [{ field: 'principals' as const, index, namespace }];
  });
}

/** A star is at one end. */
function isWithin(namespace: string, pattern: string): boolean {
  if (pattern.endsWith('*')) return namespace.startsWith(pattern.slice(0, -1));
  return pattern.startsWith('*') ? namespace.endsWith(pattern.slice(1)) : namespace === pattern;
}
