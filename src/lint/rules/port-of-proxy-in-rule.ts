import { metricsPort, readinessPort } from '../../lib/proxy-addresses.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Where proxy and agent answer themselves: the last of these answers probes and metrics of the application. */
const ofProxy: ReadonlySet<string> = new Set([metricsPort, readinessPort, 15_020].map(String));

/** Access rules are for connections that the proxy hands on to its application. */
export const rule: Rule = {
  code: 'port-of-proxy-in-rule',
  id: 'MP335',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an access rule for ports of the proxy itself alone',
  why: 'access rules are not applied to connections to these ports, which the proxy and its agent answer themselves',
  hint: 'remove the operation: these ports answer without it',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
      const { to = [] } = own;
      for (const [i, { operation }] of to.entries()) {
        const { ports = [] } = operation;
        if (ports.length === 0 || !ports.every((port) => ofProxy.has(port))) continue;
        const isLast = (policy.spec.action ?? 'ALLOW') === 'ALLOW' && to.length === 1;
        const message = `"ports" has only ${ports.join(', ')}, where the proxy itself answers: access rules are not applied there`;
        report({
          ...{ object: policy, path: [...path, 'to', i, 'operation', 'ports'], part: 'key', message },
          why: whyIdle(policy, false, 'no connection to these ports comes to an access rule'),
          hint: isLast ? hintOfAllow : undefined,
        });
      }
    }
  },
};

const hintOfAllow =
  'remove the rule: these ports answer without it; an ALLOW policy refuses all that its rules do not name, so name what the application is to be asked for';
