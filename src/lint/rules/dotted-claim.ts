import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Words with dots between them, of which the last is no end of a domain: claims are often named by one. */
const dotted = /^request\.auth\.claims\[([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)\]$/;
const domainEnds = /\.(com|org|net|io|dev|example|local|gov|edu|co|de|uk|eu|us)$/i;

/** A claim inside of a claim has brackets of its own. */
export const rule: Rule = {
  code: 'dotted-claim',
  id: 'MP518',
  severity: 'warning',
  category: 'tokens',
  direction: 'narrows',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a claim inside of another one, written with a dot',
  why: 'the condition looks for one claim whose name has a dot, which tokens do not have',
  hint: 'write each name in brackets of its own',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
      for (const [i, { key }] of (own.when ?? []).entries()) {
        const name = dotted.exec(key)?.[1];
        if (name === undefined || domainEnds.test(name)) continue;
        const nested = `request.auth.claims[${name.split('.').join('][')}]`;
        report({
          ...{ object: policy, path: [...path, 'when', i, 'key'] },
          message: `"${key}" is the claim "${name}", a name with a dot, and not a claim inside of "${name.split('.')[0]}"`,
          hint: `write "${nested}"`,
        });
      }
    }
  },
};
