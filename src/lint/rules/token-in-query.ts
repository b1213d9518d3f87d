import type { Rule } from '../rule.ts';
import { jwtRulesOf } from '../tokens/jwt-rules.ts';

/** Addresses of requests are kept in many places that are no place for a secret. */
export const rule: Rule = {
  code: 'token-in-query',
  id: 'MP509',
  severity: 'info',
  category: 'tokens',
  direction: 'none',
  confidence: 'certain',
  kinds: ['RequestAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'tokens are read from the query string',
  why: 'query strings are kept in access logs, browser histories and Referer headers, and whoever reads these can use the token (RFC 6750, section 5.3)',
  hint: 'read the token from a header (fromHeaders) or a cookie (fromCookies)',
  check({ snapshot, report }) {
    for (const { policy, rule, path } of jwtRulesOf(snapshot.policies.requestAuthentications)) {
      for (const [i, name] of (rule.fromParams ?? []).entries()) {
        const message = `the token is taken from the query parameter "${name}"`;
        report({ object: policy, path: [...path, 'fromParams', i], message });
      }
    }
  },
};
