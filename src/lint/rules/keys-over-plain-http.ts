import type { Rule } from '../rule.ts';
import { jwtRulesOf } from '../tokens/jwt-rules.ts';
import { isLoopback, keyHost } from '../tokens/key-url.ts';

/** Who stands between agent and issuer could answer with keys of his own. */
export const rule: Rule = {
  code: 'keys-over-plain-http',
  id: 'MP503',
  severity: 'warning',
  category: 'tokens',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['RequestAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'signing keys that are fetched without TLS',
  why: 'an attacker who can answer in place of the issuer can supply keys, and then sign tokens for any user',
  hint: 'fetch the keys over https, or write them into "jwks"',
  check({ snapshot, report }) {
    for (const { policy, rule, path } of jwtRulesOf(snapshot.policies.requestAuthentications)) {
      const { jwksUri = '', jwks } = rule;
      const host = keyHost(jwksUri);
      if (jwks || host === undefined || isLoopback(host) || !jwksUri.startsWith('http://')) continue;
      const message = `the keys are fetched from "${jwksUri}" without TLS, expected https`;
      report({ object: policy, path: [...path, 'jwksUri'], message });
    }
  },
};
