import type { JsonPath } from '../../diagnostics/span.ts';
import { fieldsOf, type RuleAt } from './walk.ts';

/** A value of a rule with its place, from the object's root. */
export interface PlacedValue {
  /** Of a source or an operation; of a condition, its key. */
  readonly field: string;
  readonly isNegated: boolean;
  readonly value: string;
  readonly path: JsonPath;
}

/** The values of a rule: of its sources, then of its operations, then of its conditions. */
export function placedValues({ rule, path: root }: Pick<RuleAt, 'rule' | 'path'>): readonly PlacedValue[] {
  return fieldsOf(rule, root).flatMap(({ fields, path }) =>
    Object.entries(fields).flatMap(([field, values = []]) =>
      values.map((value, i) => ({
        field: path.at(-2) === 'when' ? (rule.when?.[Number(path.at(-1))]?.key ?? field) : field,
        ...{ isNegated: /^not[A-Z]/.test(field), value, path: [...path, field, i] },
      })),
    ),
  );
}
