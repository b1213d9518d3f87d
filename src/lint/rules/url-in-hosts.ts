import { whyIdle } from '../authorization/idle-value.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** What is compared is the Host header, which has neither a scheme nor a path. */
export const rule: Rule = {
  code: 'url-in-hosts',
  id: 'MP419',
  severity: 'warning',
  category: 'matching',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a URL in place of a host name',
  why: 'the Host header of a request has no scheme and no path, so the condition matches no request: an ALLOW rule lets nobody in by it, and a DENY rule denies nobody',
  hint: 'write the host name alone; paths belong into "paths"',
  check({ snapshot, report }) {
    for (const at of allRulesOf(snapshot)) {
      for (const { field, value, path, isNegated } of placedValues(
        at,
        /^(hosts|notHosts|request\.headers\[(:authority|host)\])$/i,
      )) {
        if (!value.includes('/')) continue;
        const host = value.replace(/^[a-z*]*:?\/\//i, '').split('/')[0];
        const part = value.includes('://') ? 'a scheme' : 'a path';
        report({
          ...{ object: at.policy, path },
          message: `"${field}" has "${value}", and the host of a request has no ${part.slice(2)}`,
          why: whyIdle(at.policy, isNegated, 'the Host header of a request has no scheme and no path'),
          hint: host ? `write "${host}"` : undefined,
        });
      }
    }
  },
};
