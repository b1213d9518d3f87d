import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Browsers ask in advance without credentials, and so do probes and crawlers of metrics. */
export const rule: Rule = {
  code: 'every-path-needs-token',
  id: 'MP511',
  severity: 'info',
  category: 'tokens',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a DENY rule for every request without a token',
  why: 'requests that never have a token are refused too: CORS preflight requests, and health checks and metric scrapes that use a port of the application or of a gateway server; the ports of the proxy itself are not affected',
  hint: 'add "to" with "notPaths" for health checks and, if browsers call from other origins, with "notMethods: ["OPTIONS"]"',
  outranks: ['missing-token-gives-403'],
  check({ snapshot, report }) {
    for (const { policy, rule, path } of allRulesOf(snapshot)) {
      const { from = [], to = [], when = [] } = rule;
      if (policy.spec.action !== 'DENY' || to.length + when.length > 0) continue;
      for (const [i, { source }] of from.entries()) {
        const isAnyone = Object.keys(source).length === 1 && source.notRequestPrincipals?.includes('*') === true;
        if (!isAnyone) continue;
        const message = 'every request without a token is refused, whatever it asks for';
        report({ object: policy, path: [...path, 'from', i, 'source', 'notRequestPrincipals'], part: 'key', message });
      }
    }
  },
};
