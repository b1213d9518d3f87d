import { KnownNames } from '../../lib/known-names.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';
import { bySelector } from '../tokens/meeting.ts';

/** Tokens of a RequestAuthentication have one of its audiences. */
export const rule: Rule = {
  code: 'audience-of-no-authentication',
  id: 'MP519',
  severity: 'warning',
  category: 'tokens',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'an audience in a rule that is spelt almost like one of the RequestAuthentication',
  why: 'tokens are accepted for the audience of the RequestAuthentication, and the rule asks for another one',
  hint: 'write the audience as in the RequestAuthentication',
  check({ snapshot, report }) {
    const { authorizationPolicies, requestAuthentications } = snapshot.policies;
    const audiences = new Map<string, KnownNames>();
    for (const [key, policies] of bySelector(requestAuthentications)) {
      const rules = policies.flatMap(({ spec }) => spec.jwtRules ?? []);
      audiences.set(key, new KnownNames(rules.flatMap((it) => it.audiences ?? [])));
    }
    for (const [key, policies] of bySelector(authorizationPolicies)) {
      const known = audiences.get(key);
      if (known === undefined) continue;
      for (const at of rulesOf(policies)) {
        for (const { value, path } of placedValues(at, /^request\.auth\.(audiences|claims\[aud\])$/)) {
          const meant = known.has(value) ? undefined : known.meantBy(value);
          if (meant === undefined) continue;
          const message = `"${value}" is no audience of the RequestAuthentication for these workloads, which has "${meant}"`;
          report({ object: at.policy, path, message, hint: `did you mean "${meant}"?` });
        }
      }
    }
  },
};
