import type { JsonPath } from '../../diagnostics/span.ts';
import type { AuthorizationPolicy, AuthorizationRule, Operation, Source } from '../../policy/authorization-policy.ts';

/** One rule of a policy, and where it stands. */
export interface RuleAt {
  readonly policy: AuthorizationPolicy;
  readonly rule: AuthorizationRule;
  readonly index: number;
  readonly path: JsonPath;
}

/** The rules of all policies, in their order. */
export function* rulesOf(policies: readonly AuthorizationPolicy[]): Iterable<RuleAt> {
  for (const policy of policies) {
    for (const [index, rule] of (policy.spec.rules ?? []).entries()) {
      yield { policy, rule, index, path: ['spec', 'rules', index] };
    }
  }
}

/** One value of a field of an operation or a source. */
export interface ValueAt<Field extends string> extends RuleAt {
  readonly field: Field;
  readonly value: string;
}

/** The values of the named fields of all operations. */
export function* operationValues<F extends keyof Operation>(
  policies: readonly AuthorizationPolicy[],
  ...fields: readonly F[]
): Iterable<ValueAt<F>> {
  for (const at of rulesOf(policies)) {
    for (const [i, { operation }] of (at.rule.to ?? []).entries()) {
      yield* valuesOf(at, operation as Fields, [...at.path, 'to', i, 'operation'], fields);
    }
  }
}

/** The values of the named fields of all sources. */
export function* sourceValues<F extends keyof Source>(
  policies: readonly AuthorizationPolicy[],
  ...fields: readonly F[]
): Iterable<ValueAt<F>> {
  for (const at of rulesOf(policies)) {
    for (const [i, { source }] of (at.rule.from ?? []).entries()) {
      yield* valuesOf(at, source as Fields, [...at.path, 'from', i, 'source'], fields);
    }
  }
}

/** Values by field: what operations and sources are made of. */
type Fields = Readonly<Record<string, readonly string[] | undefined>>;

function* valuesOf<F extends string>(
  at: RuleAt,
  holder: Fields,
  path: JsonPath,
  fields: readonly F[],
): Iterable<ValueAt<F>> {
  for (const field of fields) {
    for (const [k, value] of (holder[field] ?? []).entries()) {
      yield { ...at, field, value, path: [...path, field, k] };
    }
  }
}

/** The fields of each source and operation of a rule, and of each condition. */
export function fieldsOf(
  { from = [], to = [], when = [] }: AuthorizationRule,
  root: JsonPath,
): readonly { readonly fields: Fields; readonly path: JsonPath }[] {
  return [
    ...from.map(({ source }, i) => ({ fields: source as Fields, path: [...root, 'from', i, 'source'] })),
    ...to.map(({ operation }, i) => ({ fields: operation as Fields, path: [...root, 'to', i, 'operation'] })),
    ...when.map(({ key: _, ...values }, i) => ({ fields: values as Fields, path: [...root, 'when', i] })),
  ];
}
