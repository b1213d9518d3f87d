import type { Operation } from '../../../policy/authorization-policy.ts';
import type { PermissionIR } from '../../ir/rbac.ts';
import { allOf, notOf, someOf } from './combine.ts';
import { type RuleContext, senseOf } from './context.ts';
import { methodMatch } from './headers.ts';
import { hostsMatch } from './hosts.ts';
import { pathsMatch } from './paths.ts';
import type { Sense } from './pattern.ts';
import { negatedName } from './source.ts';

export type OperationField = Exclude<keyof Operation, `not${string}`>;

type MatchOf = (values: readonly string[], sense: Sense, context: RuleContext) => PermissionIR;

const matches: Readonly<Record<OperationField, MatchOf>> = {
  hosts: hostsMatch,
  methods: eachBy(methodMatch),
  paths: pathsMatch,
  ports: eachBy((value) => ({ kind: 'destination-port', port: Number(value) })),
};

function eachBy(match: (value: string, sense: Sense) => PermissionIR): MatchOf {
  return (values, sense) => someOf(values.map((value) => match(value, sense)));
}

/** One operation field's values, as alternatives. */
export function operationFieldMatch(
  field: OperationField,
  values: readonly string[],
  isNegated: boolean,
  context: RuleContext,
): PermissionIR {
  const sense = senseOf(context, isNegated);
  const match = matches[field](values, sense, context);
  return isNegated ? notOf(match) : match;
}

/** All fields of one operation together; what TCP cannot see falls away there. */
export function operationMatch(operation: Operation, context: RuleContext): PermissionIR {
  const terms: PermissionIR[] = [];
  for (const field of operationFields()) {
    if (context.carries === 'tcp' && isHttpOperationField(field)) continue;
    const negated = operation[negatedName(field)];
    if (operation[field] !== undefined) terms.push(operationFieldMatch(field, operation[field], false, context));
    if (negated !== undefined) terms.push(operationFieldMatch(field, negated, true, context));
  }
  return allOf(terms);
}

export function isHttpOperationField(field: OperationField): boolean {
  return field !== 'ports';
}

export function operationFields(): readonly OperationField[] {
  return Object.keys(matches) as OperationField[];
}
