import { sortedBy } from '../../../lib/sort.ts';
import type { AuthorizationAction, AuthorizationPolicy } from '../../../policy/authorization-policy.ts';
import type { RbacIR, RbacPolicyIR } from '../../ir/rbac.ts';
import { objectOrigin } from '../origins.ts';
import type { RuleContext } from './context.ts';
import { authorizationRule } from './rule.ts';

type Context = Pick<RuleContext, 'carries' | 'ports' | 'trustDomains' | 'isGateway'>;

const dryRunAnnotation = 'mesh.io/dry-run';

/**
 * The policies of one action as one filter of one chain; undefined when there are none, or when none of their rules can
 * match there. An ALLOW without a rule stays all the same: it allows nothing.
 */
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
  // Where all are tried only, nothing is enforced: an ALLOW without rules would allow nothing.
  const rules = enforced.length === 0 ? undefined : rulesOf(enforced, action, context);
  const triedRules = tried.length === 0 ? undefined : rulesOf(tried, action, context);
  if (action !== 'ALLOW' && !rules?.length && !triedRules?.length) return undefined;
  return {
    kind: 'rbac',
    action: action === 'AUDIT' ? 'LOG' : action,
    policies: action === 'ALLOW' || rules?.length ? rules : undefined,
    shadow: triedRules === undefined ? undefined : { policies: triedRules, statPrefix },
    origins: { decidedBy: own.map((policy) => objectOrigin(policy, ['spec'])), overrode: [] },
  };
}

/** A policy that is tried: counted and logged, not enforced. The value was checked with the policy's schema. */
export function isDryRun({ annotations }: AuthorizationPolicy): boolean {
  return annotations[dryRunAnnotation] === 'true';
}

/** Rules that something on the chain can match, in the order in which Envoy tries them. */
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
