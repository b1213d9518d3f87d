import { whyIdle } from '../authorization/idle-value.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';
import { scalarEdit } from '../scalar-edit.ts';

/** Fields that name an issuer. */
const naming = /^((r|notR)equestPrincipals|request\.auth\.(principal|claims\[iss\]))$/;

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
  judges: 'each',
  since: '0.1.0',
  title: 'a request principal or an issuer that differs from that of the tokens by a slash at the end',
  why: 'no token has this value: an ALLOW rule does not let its owner in, a DENY rule does not stop the owner, and among exceptions it excepts nobody',
  hint: 'write the issuer exactly as in the RequestAuthentication; in a request principal, a slash and the subject follow',
  fixChanges: 'access rules',
  check({ snapshot, report }) {
    const issuers = new Set(
      snapshot.policies.requestAuthentications.flatMap(({ spec }) => (spec.jwtRules ?? []).map(({ issuer }) => issuer)),
    );
    for (const at of allRulesOf(snapshot)) {
      for (const { field, value, path, isNegated } of placedValues(at, naming)) {
        // The last slash parts issuer and subject; the claim is the issuer alone.
        const end = field === 'request.auth.claims[iss]' ? value.length : value.lastIndexOf('/');
        const [issuer, subject] = [value.slice(0, end), value.slice(end)];
        const other = issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`;
        if (end < 0 || issuers.has(issuer) || !issuers.has(other)) continue;
        const expected = `${other}${subject}`;
        report({
          ...{
            object: at.policy,
            path,
            message: `"${field}" has "${value}", and tokens of that issuer have "${expected}"`,
          },
          why: whyIdle(at.policy, isNegated, 'no token has this value'),
          hint: `write "${expected}"`,
          fix: {
            title: `Write ${expected}`,
            edits: [scalarEdit(at.policy.document.spanOf(path), value, expected, unquoted(expected))],
          },
        });
      }
    }
  },
};

/** A scalar that had no quotes stays without them where what is written cannot mean anything else. */
function unquoted(text: string): string {
  return /^[A-Za-z](?=.*[/.@])[\w./:@*-]*[\w/*]$/.test(text) ? text : JSON.stringify(text);
}
