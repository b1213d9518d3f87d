import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { whyIdle } from '../authorization/idle-value.ts';
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
  why: 'methods are compared with their case, so the value matches none of the usual requests (here, unlike in Istio, methods of a DENY rule and notMethods of an ALLOW rule match in any case)',
  hint: 'write the method in capitals',
  fixChanges: 'access rules',
  check({ snapshot, report }) {
    for (const { policy, value, path, field } of operationValues(snapshot, ...(['methods', 'notMethods'] as const))) {
      const meant = value.toUpperCase();
      if (meant === value || !methods.has(meant)) continue;
      const edits = [scalarEdit(policy.document.spanOf(path), value, meant)];
      report({
        ...{ object: policy, path, message: `the method "${value}" is sent by no usual client, expected "${meant}"` },
        why: whyOf(policy, field === 'notMethods'),
        hint: `write "${meant}"`,
        fix: { title: `Write ${meant}`, edits },
      });
    }
  },
};

/** Where a match takes access away, methods match in any case here. */
function whyOf(policy: AuthorizationPolicy, isNegated: boolean): string {
  const { action = 'ALLOW' } = policy.spec;
  if (action === 'DENY' && !isNegated)
    return 'in Istio this value denies none of the usual requests; here a DENY rule matches methods in any case';
  if (action === 'ALLOW' && isNegated)
    return 'in Istio this value excepts nothing, so the rule allows what it was to leave out; here an ALLOW rule matches its exceptions in any case';
  if (action === 'ALLOW')
    return 'an ALLOW rule compares methods with their case, so this value allows none of the usual requests';
  return whyIdle(policy, isNegated, 'methods are compared with their case');
}
