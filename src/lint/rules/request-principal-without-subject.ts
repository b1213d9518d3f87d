import { whyIdle } from '../authorization/idle-value.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';
import { Issuers } from '../tokens/issuers.ts';

/** A request principal is the issuer, a slash and the subject. */
export const rule: Rule = {
  code: 'request-principal-without-subject',
  id: 'MP514',
  severity: 'warning',
  category: 'tokens',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a request principal that names an issuer and no subject',
  why: 'a request principal is <issuer>/<subject>, so no token has this one: an ALLOW rule lets nobody in by it, and a DENY rule denies nobody',
  hint: 'write <issuer>/<subject>, or <issuer>/* for every subject',
  check({ snapshot, report }) {
    const issuers = Issuers.of(snapshot.policies.requestAuthentications);
    for (const at of allRulesOf(snapshot)) {
      for (const { value, path, isNegated } of placedValues(
        at,
        /^((r|notR)equestPrincipals|request\.auth\.principal)$/,
      )) {
        if (!issuers.isWithoutSubject(value)) continue;
        const message = `no token has the request principal "${value}", expected <issuer>/<subject>`;
        report({
          object: at.policy,
          path,
          message,
          why: whyIdle(at.policy, isNegated, 'a request principal is <issuer>/<subject>, and no token has this one'),
          hint: hintFor(value, issuers),
        });
      }
    }
  },
};

/** An issuer may itself end with a slash, and then a principal has two. */
function hintFor(value: string, issuers: Issuers): string | undefined {
  if (issuers.has(value)) return `write "${value}/*" for every subject`;
  return value.endsWith('/') ? `write "${value}*" for every subject` : undefined;
}
