import type { JsonPath } from '../../diagnostics/span.ts';
import type { RuleAt } from './walk.ts';

/** A value of a rule with its place, from the object's root. */
export interface PlacedValue {
  /** Of a source or an operation; of a condition, its key. */
  readonly field: string;
  readonly isNegated: boolean;
  readonly value: string;
  readonly path: JsonPath;
}

/** The values of the wanted fields of a rule: of its sources, then of its operations, then of its conditions. */
export function placedValues({ rule, path: root }: Pick<RuleAt, 'rule' | 'path'>, wanted: RegExp): PlacedValue[] {
  const found: PlacedValue[] = [];
  const add = (holder: object, key: string | undefined, path: JsonPath): void => {
    for (const [name, values] of Object.entries(holder) as [string, readonly string[] | undefined][]) {
      const field = key ?? name;
      if (values === undefined || !wanted.test(field)) continue;
      const isNegated = /^not[A-Z]/.test(name);
      for (const [i, value] of values.entries())
        found.push({ field, isNegated, value, path: [...root, ...path, name, i] });
    }
  };
  for (const [i, { source }] of (rule.from ?? []).entries()) add(source, undefined, ['from', i, 'source']);
  for (const [i, { operation }] of (rule.to ?? []).entries()) add(operation, undefined, ['to', i, 'operation']);
  for (const [i, { key, ...values }] of (rule.when ?? []).entries()) {
    if (wanted.test(key)) add(values, key, ['when', i]);
  }
  return found;
}
