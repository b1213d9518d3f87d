import { sourceValues } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A request principal is the issuer, a slash and the subject; issuers are compared letter by letter. */
export const rule: Rule = {
  code: 'issuer-with-other-slash',
  id: 'MP510',
  severity: 'warning',
  category: 'tokens',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a request principal whose issuer differs from that of the tokens by a slash at the end',
  why: 'no token has this principal: an ALLOW rule does not let its owner in, and a DENY rule does not stop the owner',
  hint: 'write the issuer exactly as in the RequestAuthentication, then a slash, then the subject',
  fixChanges: 'access rules',
  check({ snapshot, report }) {
    const issuers = new Set(
      snapshot.policies.requestAuthentications.flatMap(({ spec }) => (spec.jwtRules ?? []).map(({ issuer }) => issuer)),
    );
    for (const { policy, field, value, path } of sourceValues(
      snapshot,
      ...(['requestPrincipals', 'notRequestPrincipals'] as const),
    )) {
      // The last slash parts issuer and subject.
      const [issuer, subject] = [value.slice(0, value.lastIndexOf('/')), value.slice(value.lastIndexOf('/') + 1)];
      const other = issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`;
      if (!value.includes('/') || issuers.has(issuer) || !issuers.has(other)) continue;
      const expected = `${other}/${subject}`;
      report({
        ...{ object: policy, path, message: `"${field}" has "${value}", and tokens of that issuer have "${expected}"` },
        hint: `write "${expected}"`,
        fix: {
          title: `Write ${expected}`,
          edits: [{ span: policy.document.spanOf(path), text: JSON.stringify(expected) }],
        },
      });
    }
  },
};
