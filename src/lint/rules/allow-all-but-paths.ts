import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** An allow list by exception: whatever is not listed is open. */
export const rule: Rule = {
  code: 'allow-all-but-paths',
  id: 'MP402',
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an ALLOW rule for everybody and every path except some',
  why: 'a path that is added later is open, and so is a spelling of the excepted path that the application understands and Envoy does not',
  hint: 'list the paths that are allowed in "paths", or deny the excepted paths with a DENY policy beside an ALLOW rule for clients',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of rulesOf(snapshot.policies.authorizationPolicies)) {
      const { from = [], to = [], when = [] } = own;
      if ((policy.spec.action ?? 'ALLOW') !== 'ALLOW' || from.length + when.length > 0) continue;
      for (const [i, { operation }] of to.entries()) {
        if (operation.notPaths === undefined || operation.paths !== undefined) continue;
        const message = `every path except ${quoted(operation.notPaths)} is allowed for everybody`;
        report({ object: policy, path: [...path, 'to', i, 'operation', 'notPaths'], part: 'key', message });
      }
    }
  },
};

function quoted(values: readonly string[]): string {
  const shown = values.slice(0, 3).map((value) => `"${value}"`);
  return [...shown, ...(values.length > shown.length ? ['others'] : [])].join(', ');
}
