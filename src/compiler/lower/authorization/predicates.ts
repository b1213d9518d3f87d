import type { Settings } from '../../../config/settings.ts';
import type { JsonPath } from '../../../diagnostics/span.ts';
import type { AuthorizationPolicy, AuthorizationRule } from '../../../policy/authorization-policy.ts';
import type { RbacPolicyIR } from '../../ir/rbac.ts';
import { meshTrustDomains } from '../auth/downstream-tls.ts';
import { anyPort } from './chain-ports.ts';
import type { RuleContext } from './context.ts';
import { authorizationRule, httpFields } from './rule.ts';

/** A rule as a tree of its values; each leaf is lowered like a rule that asks for nothing else. */
export type LoweredPredicates =
  | { readonly kind: 'all' | 'some'; readonly of: readonly LoweredPredicates[] }
  | { readonly kind: 'predicate'; readonly path: JsonPath; readonly rule: RbacPolicyIR };

/** Where a rule is in force. */
export type RulePlace = Pick<RuleContext, 'carries' | 'isGateway'>;

/** The predicates of a rule of a policy. On TCP it lacks those that only requests have, as the rule itself does there. */
export function lowerPredicates(
  policy: AuthorizationPolicy,
  index: number,
  place: RulePlace,
  settings: Pick<Settings, 'trustDomain' | 'trustDomainAliases'>,
): LoweredPredicates {
  const rule = policy.spec.rules?.[index] ?? {};
  const leaf = leafMaker(policy, { ...place, trustDomains: meshTrustDomains(settings) });
  const root: JsonPath = ['spec', 'rules', index];
  const sources = rule.from?.map(({ source }, i) =>
    fieldsOf(source, [...root, 'from', i, 'source'], (alone) => leaf({ from: [{ source: alone }] })),
  );
  const operations = rule.to?.map(({ operation }, i) =>
    fieldsOf(operation, [...root, 'to', i, 'operation'], (alone) => leaf({ to: [{ operation: alone }] })),
  );
  const conditions = (rule.when ?? []).map(({ key, ...lists }, i) =>
    fieldsOf(lists, [...root, 'when', i], (alone) => leaf({ when: [{ key, ...alone }] })),
  );
  const alternatives = [sources, operations].flatMap((of) => (of === undefined ? [] : [{ kind: 'some' as const, of }]));
  return { kind: 'all', of: [...alternatives, ...conditions] };
}

type Fields = Readonly<Record<string, readonly string[] | undefined>>;

/** All fields must hold; of the values of one any, of those of a negative one all. */
function fieldsOf(
  fields: object,
  path: JsonPath,
  lower: (alone: Fields) => RbacPolicyIR | undefined,
): LoweredPredicates {
  const of = Object.entries(fields as Fields).flatMap(([field, values = []]): readonly LoweredPredicates[] => {
    const leaves = values.flatMap((value, i): readonly LoweredPredicates[] => {
      const rule = lower({ [field]: [value] });
      return rule === undefined ? [] : [{ kind: 'predicate', path: [...path, field, i], rule }];
    });
    if (leaves.length === 0) return [];
    return [{ kind: field.startsWith('not') ? 'all' : 'some', of: leaves }];
  });
  return { kind: 'all', of };
}

/** Lowers a rule of one predicate; undefined for what does not exist on the chain. */
function leafMaker(
  policy: AuthorizationPolicy,
  context: RulePlace & Pick<RuleContext, 'trustDomains'>,
): (rule: AuthorizationRule) => RbacPolicyIR | undefined {
  const action = policy.spec.action ?? 'ALLOW';
  const own: RuleContext = { ...context, action, policyNamespace: policy.namespace, ports: anyPort };
  return (rule) => {
    if (context.carries === 'tcp' && httpFields(rule).length > 0) return undefined;
    return authorizationRule({ ...policy, spec: { ...policy.spec, rules: [rule] } }, 0, own);
  };
}
