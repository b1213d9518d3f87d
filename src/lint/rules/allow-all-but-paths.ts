import { allRulesOf } from '../authorization/walk.ts';
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
  title: 'an ALLOW rule that admits every client to every path except some',
  why: 'a path that is added later is open to everybody, and so is a different spelling of an excepted path that the application treats as that path and Envoy does not',
  hint: 'list the allowed paths in "paths"; or deny the excepted paths in a DENY policy, and add an ALLOW rule that names the clients',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
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
