import type { AuthorizationPolicy, AuthorizationRule } from '../../../policy/authorization-policy.ts';
import type { RbacPolicyIR } from '../../ir/rbac.ts';
import { objectOrigin } from '../origins.ts';
import { ruleOnPorts } from './chain-ports.ts';
import { allOf, someOf } from './combine.ts';
import { conditionMatch, isHttpCondition } from './condition.ts';
import type { RuleContext } from './context.ts';
import { isHttpOperationField, operationFields, operationMatch } from './operation.ts';
import { isHttpSourceField, negatedName, sourceFields, sourceMatch } from './source.ts';

/**
 * One rule for one chain; undefined where it can match nothing: it is about other ports, or it is an ALLOW rule that
 * asks for something that only requests have, and a TCP connection cannot fulfil it. A DENY rule loses the attribute
 * there and denies more.
 */
export function authorizationRule(
  policy: AuthorizationPolicy,
  index: number,
  context: RuleContext,
  namePrefix = '',
): RbacPolicyIR | undefined {
  const rule = policy.spec.rules?.[index];
  if (rule === undefined) throw new Error(`${policy.namespace}/${policy.name} has no rule ${index}`);
  if (context.carries === 'tcp' && context.action === 'ALLOW' && httpFields(rule).length > 0) return undefined;
  const own = ruleOnPorts(rule, context.ports);
  if (own === undefined) return undefined;
  const { from, to, when = [] } = own;
  const conditions = when.map((condition) => conditionMatch(condition, context));
  const operations = to?.map(({ operation }) => operationMatch(operation, context));
  const sources = from?.map(({ source }) => sourceMatch(source, context));
  return {
    name: `${namePrefix}ns[${policy.namespace}]-policy[${policy.name}]-rule[${index}]`,
    permission: allOf([...(operations ? [someOf(operations)] : []), ...conditions.map((it) => it.permission)]),
    principal: allOf([...(sources ? [someOf(sources)] : []), ...conditions.map((it) => it.principal)]),
    origins: { decidedBy: [objectOrigin(policy, ['spec', 'rules', index])], overrode: [] },
  };
}

/** Names of the attributes that only requests have, in the rule's order. */
export function httpFields({ from = [], to = [], when = [] }: AuthorizationRule): readonly string[] {
  const sources = sourceFields()
    .filter(isHttpSourceField)
    .flatMap((field) => [field, negatedName(field)] as const)
    .filter((field) => from.some(({ source }) => source[field] !== undefined));
  const operations = operationFields()
    .filter(isHttpOperationField)
    .flatMap((field) => [field, negatedName(field)] as const)
    .filter((field) => to.some(({ operation }) => operation[field] !== undefined));
  return [...sources, ...operations, ...when.filter(isHttpCondition).map(({ key }) => key)];
}

/** True when some attribute is set and all of them exist in requests only: of such a rule nothing is left for connections. */
export function isHttpOnly(rule: AuthorizationRule): boolean {
  const { from = [], to = [], when = [] } = rule;
  const attributes = [
    ...from.flatMap(({ source }) => Object.keys(source)),
    ...to.flatMap(({ operation }) => Object.keys(operation)),
    ...when.map(({ key }) => key),
  ];
  const http = new Set(httpFields(rule));
  return attributes.length > 0 && attributes.every((attribute) => http.has(attribute));
}
