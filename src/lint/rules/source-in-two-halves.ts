import type { Source } from '../../policy/authorization-policy.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** The entries of "from" are alternatives; the fields of one entry hold together. */
export const rule: Rule = {
  code: 'source-in-two-halves',
  id: 'MP330',
  severity: 'info',
  category: 'authorization',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'an ALLOW rule for an identity of the mesh or a token, where both may be meant',
  why: 'entries of "from" are alternatives: the identity gets in without a token, and the token from everywhere',
  hint: 'write both fields into one entry if both are to hold',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
      const { from = [] } = own;
      const halves = from.map(({ source }) => halfOf(source));
      if ((policy.spec.action ?? 'ALLOW') !== 'ALLOW' || from.length !== 2) continue;
      if (!halves.includes('identity') || !halves.includes('token')) continue;
      report({
        ...{ object: policy, path: [...path, 'from', 1, 'source'], part: 'key' },
        message:
          'one entry asks for an identity alone, the other one for a token alone: a request needs to match only one of them',
        related: [{ object: policy, path: [...path, 'from', 0], message: 'the other entry' }],
      });
    }
  },
};

function halfOf(source: Source): 'identity' | 'token' | undefined {
  const fields = Object.keys(source);
  if (fields.length === 1 && fields[0] === 'requestPrincipals') return 'token';
  const isIdentity =
    fields.length > 0 && fields.every((field) => /^(principals|namespaces|serviceAccounts)$/.test(field));
  return isIdentity ? 'identity' : undefined;
}
