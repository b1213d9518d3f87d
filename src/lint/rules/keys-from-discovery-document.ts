import type { Rule } from '../rule.ts';
import { jwtRulesOf } from '../tokens/jwt-rules.ts';

/** OpenID Connect Discovery 1.0, section 4, and RFC 8414, section 3. */
const discovery = /\/\.well-known\/(openid-configuration|oauth-authorization-server)\/?$/;

/** The document that says where the keys are does not contain them. */
export const rule: Rule = {
  code: 'keys-from-discovery-document',
  id: 'MP515',
  severity: 'warning',
  category: 'tokens',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['RequestAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'the address of a discovery document in place of that of the keys',
  why: 'the document says where the keys are and contains none, so no token can be verified and each is refused',
  hint: 'write the address that the document has as "jwks_uri", or leave "jwksUri" out: the keys are then found by the document at the issuer',
  check({ snapshot, report }) {
    for (const { policy, rule, path } of jwtRulesOf(snapshot.policies.requestAuthentications)) {
      const { jwksUri = '', jwks } = rule;
      if (jwks || !URL.canParse(jwksUri) || !discovery.test(new URL(jwksUri).pathname)) continue;
      const message = `"${jwksUri}" is the address of a discovery document, expected that of a key set`;
      report({ object: policy, path: [...path, 'jwksUri'], message });
    }
  },
};
