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
  title: 'a request principal whose issuer differs by a slash at its end',
  why: 'no token has this principal, so that an ALLOW rule refuses its owner, and a DENY rule lets him pass',
  hint: 'write the issuer as the RequestAuthentication has it, then a slash, then the subject',
  check({ snapshot, report }) {
    const issuers = new Set(
      snapshot.policies.requestAuthentications.flatMap(({ spec }) => (spec.jwtRules ?? []).map(({ issuer }) => issuer)),
    );
    for (const { policy, field, value, path } of sourceValues(
      snapshot.policies.authorizationPolicies,
      ...(['requestPrincipals', 'notRequestPrincipals'] as const),
    )) {
      const found = /^([^*]+?)(\/+)([^/*]+|\*)$/.exec(value);
      if (found === null) continue;
      const [, issuer = '', slashes = '', subject] = found;
      const isEnded = issuers.has(`${issuer}/`);
      const isPlain = issuers.has(issuer);
      if (isEnded === isPlain) continue;
      // A star after one slash takes a second slash too.
      const isWrong = isEnded ? slashes === '/' && subject !== '*' : slashes === '//';
      if (!isWrong) continue;
      const expected = `${issuer}${isEnded ? '//' : '/'}${subject}`;
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
