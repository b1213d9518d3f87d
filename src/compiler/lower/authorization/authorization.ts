import { sortedBy } from '../../../lib/sort.ts';
import type { RbacIR, RbacPolicyIR } from '../../ir/rbac.ts';
import type { AuthorizationAction, AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { objectOrigin } from '../origins.ts';
import type { RuleContext } from './context.ts';
import { authorizationRule } from './rule.ts';

type Context = Pick<RuleContext, 'carries' | 'trustDomains' | 'isGateway'>;

const dryRunAnnotation = 'mesh.io/dry-run';

/** The policies of one action as one filter; undefined when there are none. */
export function authorizationFilter(
  policies: readonly AuthorizationPolicy[],
  action: Exclude<AuthorizationAction, 'CUSTOM'>,
  context: Context,
): RbacIR | undefined {
  const own = policies.filter(({ spec }) => (spec.action ?? 'ALLOW') === action);
  if (own.length === 0) return undefined;
  const enforced = own.filter((policy) => !isDryRun(policy));
  const tried = own.filter(isDryRun);
  const statPrefix = `mesh_dry_run_${action.toLowerCase()}_`;
  return {
    kind: 'rbac',
    action: action === 'AUDIT' ? 'LOG' : action,
    // Where all are tried only, nothing is enforced: an ALLOW without rules would allow nothing.
    policies: enforced.length === 0 ? undefined : rulesOf(enforced, action, context),
    shadow: tried.length === 0 ? undefined : { policies: rulesOf(tried, action, context), statPrefix },
    origins: { decidedBy: own.map((policy) => objectOrigin(policy, ['spec'])), overrode: [] },
  };
}

/** A policy that is tried: counted and logged, not enforced. The value was checked with the policy's schema. */
export function isDryRun({ annotations }: AuthorizationPolicy): boolean {
  return annotations[dryRunAnnotation] === 'true';
}

/** Rules that chains of the kind can fulfil, in the order in which Envoy tries them. */
export function rulesOf(
  policies: readonly AuthorizationPolicy[],
  action: AuthorizationAction,
  context: Context,
  namePrefix = '',
): readonly RbacPolicyIR[] {
  const rules = policies.flatMap((policy) => {
    const own = { ...context, action, policyNamespace: policy.namespace };
    return (policy.spec.rules ?? []).flatMap((_, index) => authorizationRule(policy, index, own, namePrefix) ?? []);
  });
  return sortedBy(rules, ({ name }) => name);
}
