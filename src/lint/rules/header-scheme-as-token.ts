import type { Rule } from '../rule.ts';

/** Without a prefix the whole value of the header is taken for the token (envoy.extensions.filters.http.jwt_authn.v3.JwtHeader). */
export const rule: Rule = {
  code: 'header-scheme-as-token',
  id: 'MP520',
  severity: 'warning',
  category: 'tokens',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['RequestAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a token in the header Authorization without the prefix "Bearer "',
  why: 'the value "Bearer <token>" is taken for the token as a whole, which no key verifies: every request with a token gets 401',
  hint: 'add prefix: "Bearer "; without "fromHeaders" that is the usual place',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.requestAuthentications) {
      for (const [i, { fromHeaders = [] }] of (object.spec.jwtRules ?? []).entries()) {
        const isAuthorization = ({ name }: { readonly name: string }): boolean =>
          name.toLowerCase() === 'authorization';
        // Beside one with a prefix, this one is for clients that send the token alone.
        if (fromHeaders.some((header) => isAuthorization(header) && (header.prefix ?? '') !== '')) continue;
        const at = fromHeaders.findIndex(isAuthorization);
        if (at < 0) continue;
        report({
          ...{ object, path: ['spec', 'jwtRules', i, 'fromHeaders', at, 'name'] },
          message: `the header "${fromHeaders[at]?.name}" has no "prefix" here, and clients send "Bearer <token>" in it`,
        });
      }
    }
  },
};
