import type { Rule } from '../rule.ts';
import { jwtRulesOf } from '../tokens/jwt-rules.ts';

/** Of two sources of keys in one rule the key set is taken. */
export const rule: Rule = {
  code: 'key-address-ignored',
  id: 'MP516',
  severity: 'warning',
  category: 'tokens',
  direction: 'none',
  confidence: 'certain',
  kinds: ['RequestAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a JWT rule with both a key set and the address of one',
  why: 'only the keys in "jwks" are used: when the issuer renews its keys, tokens signed by the new ones are refused',
  hint: 'remove "jwks", so that the keys are fetched, or "jwksUri"',
  check({ snapshot, report }) {
    for (const { policy, rule, path } of jwtRulesOf(snapshot.policies.requestAuthentications)) {
      if (!rule.jwks || !rule.jwksUri) continue;
      const message = '"jwksUri" is ignored: the rule has the keys in "jwks" too';
      report({
        ...{ object: policy, path: [...path, 'jwksUri'], part: 'key', message },
        related: [{ object: policy, path: [...path, 'jwks'], part: 'key', message: 'the keys that are used' }],
      });
    }
  },
};
