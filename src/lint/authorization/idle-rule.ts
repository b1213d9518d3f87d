import type { AuthorizationRule } from '../../policy/authorization-policy.ts';
import { coversAll } from './covers.ts';
import { fieldsOf } from './walk.ts';

/** Values by field: what sources, operations and conditions are made of. */
type Fields = Readonly<Record<string, readonly string[] | undefined>>;

/** A field, and the one that excepts all its values. */
export interface TakenField {
  readonly field: string;
  readonly except: string;
}

/** The fields of a source, an operation or a condition of which nothing is left beside their exceptions. */
export function takenFields(fields: Fields): readonly TakenField[] {
  return Object.entries(fields).flatMap(([field, values = []]) => {
    const except = `not${field[0]?.toUpperCase()}${field.slice(1)}`;
    const others = fields[except] ?? [];
    return values.length > 0 && others.length > 0 && coversAll(others, values) ? [{ field, except }] : [];
  });
}

/** Whether exceptions leave nothing of all sources, of all operations or of a condition: the rule matches no request. */
export function isIdleRule(rule: AuthorizationRule): boolean {
  const idle = fieldsOf(rule, []).map(({ fields, path: [part] }) => ({ part, isIdle: takenFields(fields).length > 0 }));
  const isWhole = (name: string): boolean => {
    const all = idle.filter(({ part }) => part === name);
    return all.length > 0 && all.every(({ isIdle }) => isIdle);
  };
  return isWhole('from') || isWhole('to') || idle.some(({ part, isIdle }) => part === 'when' && isIdle);
}
