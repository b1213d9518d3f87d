import type { JwtRule } from '../../policy/request-authentication.ts';
import type { Rule } from '../rule.ts';
import { type JwtRuleAt, jwtRulesOf } from '../tokens/jwt-rules.ts';
import { bySelector } from '../tokens/meeting.ts';

/** Each rule is enough for a token: the keys of one issuer from two places are all believed. */
export const rule: Rule = {
  code: 'issuer-with-two-key-sources',
  id: 'MP505',
  severity: 'warning',
  category: 'tokens',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['RequestAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'two JWT rules for one issuer that get its keys from different places',
  why: 'a token is accepted if either key set verifies it, so a key that was removed from one set may still be accepted from the other',
  hint: 'use one source of keys for the issuer',
  check({ snapshot, report }) {
    for (const policies of bySelector(snapshot.policies.requestAuthentications).values()) {
      const firsts = new Map<string, JwtRuleAt>();
      for (const at of jwtRulesOf(policies)) {
        const { issuer } = at.rule;
        if (!issuer) continue;
        const first = firsts.get(issuer) ?? at;
        firsts.set(issuer, first);
        if (keySource(first.rule) === keySource(at.rule)) continue;
        report({
          ...{ object: at.policy, path: [...at.path, 'issuer'] },
          message: `the keys of "${issuer}" come from another place than in an earlier rule for the same workloads`,
          related: [{ object: first.policy, path: [...first.path, 'issuer'], message: 'the earlier rule' }],
        });
      }
    }
  },
};

function keySource({ jwks, jwksUri }: JwtRule): string {
  return jwks ? `jwks ${jwks.replaceAll(/\s/g, '')}` : `uri ${jwksUri ?? ''}`;
}
