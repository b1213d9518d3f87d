import type { Snapshot } from '../../compiler/snapshot.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { AuthorizationPolicy, AuthorizationRule, Operation, Source } from '../../policy/authorization-policy.ts';

/** One rule of a policy, and where it stands. */
export class RuleAt {
  readonly policy: AuthorizationPolicy;
  readonly rule: AuthorizationRule;
  readonly index: number;

  constructor(policy: AuthorizationPolicy, rule: AuthorizationRule, index: number) {
    this.policy = policy;
    this.rule = rule;
    this.index = index;
  }

  /** Made when asked for: of thousands of rules few are told of. */
  get path(): JsonPath {
    return ['spec', 'rules', this.index];
  }
}

/** The rules of some policies, in their order. */
export function rulesOf(policies: readonly AuthorizationPolicy[]): readonly RuleAt[] {
  const found: RuleAt[] = [];
  for (const policy of policies) {
    const { rules = [] } = policy.spec;
    for (let i = 0; i < rules.length; i++) found.push(new RuleAt(policy, rules[i] as AuthorizationRule, i));
  }
  return found;
}

type OfMesh = Pick<Snapshot, 'policies'>;

const known = new WeakMap<readonly AuthorizationPolicy[], readonly RuleAt[]>();

/** The rules of all policies, in their order; gathered once for all who ask. */
export function allRulesOf({ policies: { authorizationPolicies } }: OfMesh): readonly RuleAt[] {
  const found = known.get(authorizationPolicies) ?? rulesOf(authorizationPolicies);
  known.set(authorizationPolicies, found);
  return found;
}

/** One value of a field of an operation or a source. */
export class ValueAt<Field extends string> {
  readonly at: RuleAt;
  readonly field: Field;
  readonly value: string;
  readonly #holder: JsonPath;
  readonly #index: number;

  constructor(at: RuleAt, holder: JsonPath, field: Field, value: string, index: number) {
    this.at = at;
    this.field = field;
    this.value = value;
    this.#holder = holder;
    this.#index = index;
  }

  get policy(): AuthorizationPolicy {
    return this.at.policy;
  }

  get rule(): AuthorizationRule {
    return this.at.rule;
  }

  get path(): JsonPath {
    return [...this.at.path, ...this.#holder, this.field, this.#index];
  }
}

/** The values of the named fields of all operations. */
export function* operationValues<F extends keyof Operation>(
  mesh: OfMesh,
  ...fields: readonly F[]
): Iterable<ValueAt<F>> {
  for (const at of allRulesOf(mesh)) {
    const { to = [] } = at.rule;
    for (let i = 0; i < to.length; i++) {
      yield* valuesOf(at, to[i]?.operation as Fields, ['to', i, 'operation'], fields);
    }
  }
}

/** The values of the named fields of all sources. */
export function* sourceValues<F extends keyof Source>(mesh: OfMesh, ...fields: readonly F[]): Iterable<ValueAt<F>> {
  for (const at of allRulesOf(mesh)) {
    const { from = [] } = at.rule;
    for (let i = 0; i < from.length; i++) {
      yield* valuesOf(at, from[i]?.source as Fields, ['from', i, 'source'], fields);
    }
  }
}

/** Values by field: what operations and sources are made of. */
type Fields = Readonly<Record<string, readonly string[] | undefined>>;

const noValues: readonly never[] = [];

function valuesOf<F extends string>(
  at: RuleAt,
  holder: Fields,
  path: JsonPath,
  fields: readonly F[],
): readonly ValueAt<F>[] {
  let found: ValueAt<F>[] | undefined;
  for (const field of fields) {
    const values = holder[field];
    if (values === undefined) continue;
    found ??= [];
    for (let k = 0; k < values.length; k++) found.push(new ValueAt(at, path, field, values[k] as string, k));
  }
  return found ?? noValues;
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
