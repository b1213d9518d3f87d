import { hasLabels } from '../../compiler/topology/selector.ts';
import type { AuthorizationRule } from '../../policy/authorization-policy.ts';
import type { Rule } from '../rule.ts';

/** An ALLOW policy refuses what it does not name, for every workload that it holds for. */
export const rule: Rule = {
  code: 'mesh-wide-allow-of-paths',
  id: 'MP329',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an ALLOW policy for the whole mesh whose rules name paths of one application',
  why: 'it holds for every workload of the mesh, also gateways: each refuses what no ALLOW policy allows',
  hint: 'move the policy to the namespace of the application, with a selector; for a mesh that refuses by default write a policy of the root namespace with "spec: {}" beside it',
  check({ snapshot, report }) {
    const { rootNamespace } = snapshot.settings;
    const meshWide = snapshot.policies.authorizationPolicies.filter(
      ({ namespace, spec }) =>
        namespace === rootNamespace && !hasLabels(spec.selector) && (spec.action ?? 'ALLOW') === 'ALLOW',
    );
    // Who has one that allows nothing, or anything that is not of one application, refuses by default on purpose.
    if (!meshWide.every(({ spec: { rules = [] } }) => rules.length > 0 && rules.every(isOfApplication))) return;
    for (const object of meshWide) {
      report({
        ...{ object, path: ['spec', 'rules'], part: 'key' },
        message: `every workload of the mesh refuses requests for other paths than those of "${object.name}", unless an ALLOW policy of its own allows them`,
      });
    }
  },
};

/** Paths of their own: health and metrics are those of many. */
function isOfApplication({ to = [] }: AuthorizationRule): boolean {
  const common = /^\/?\*?$|health|live|ready|metrics|probe|status|well-known|ping/i;
  return (
    to.length > 0 &&
    to.every(({ operation: { paths = [] } }) => paths.length > 0 && !paths.some((path) => common.test(path)))
  );
}
