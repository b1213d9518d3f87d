import { operationValues } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';
import { scalarEdit } from '../scalar-edit.ts';

/** RFC 9110, section 9.3, and RFC 5789. */
const methods: ReadonlySet<string> = new Set([
  ...['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'],
]);

/** Methods are compared with case, and clients send the known ones in capitals. */
export const rule: Rule = {
  code: 'method-in-wrong-case',
  id: 'MP407',
  peers: ['KIA0102'],
  severity: 'warning',
  category: 'matching',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an HTTP method that is not in capitals',
  why: 'methods are compared with their case, so the rule does not match the usual requests (only a DENY rule ignores case here, and in Istio it does not)',
  hint: 'write the method in capitals',
  fixChanges: 'access rules',
  check({ snapshot, report }) {
    for (const { policy, value, path, field } of operationValues(snapshot, ...(['methods', 'notMethods'] as const))) {
      const meant = value.toUpperCase();
      if (meant === value || !methods.has(meant)) continue;
      const edits = [scalarEdit(policy.document.spanOf(path), value, meant)];
      report({
        ...{ object: policy, path, message: `the method "${value}" is sent by no usual client, expected "${meant}"` },
        why: field === 'methods' ? whyOf[policy.spec.action ?? 'ALLOW'] : undefined,
        hint: `write "${meant}"`,
        fix: { title: `Write ${meant}`, edits },
      });
    }
  },
};

/** Of `methods`, by the action of the policy. */
const whyOf: Readonly<Record<string, string>> = {
  ALLOW: 'an ALLOW rule compares methods with their case, so this value allows none of the usual requests',
  DENY: 'in Istio this value denies none of the usual requests; here a DENY rule matches methods in any case',
};
