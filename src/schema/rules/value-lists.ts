import type { JsonPath } from '../../diagnostics/span.ts';
import type { AuthorizationRule } from '../../policy/authorization-policy.ts';

/** One list of values that a rule compares something with. */
export interface ValueList {
  /** Name of the field without its `not`, or the condition's key. */
  readonly field: string;
  readonly isNegated: boolean;
  readonly values: readonly string[];
  /** Of the list, from the object's root. */
  readonly path: JsonPath;
}

/** Every list of values of a rule, whose own place is `path`. */
export function valueLists({ from = [], to = [], when = [] }: AuthorizationRule, path: JsonPath): readonly ValueList[] {
  const listed = (fields: object, under: JsonPath): ValueList[] =>
    Object.entries(fields as Record<string, readonly string[]>).map(([name, values]) => {
      const field = name.replace(/^not([A-Z])/, (_, letter: string) => letter.toLowerCase());
      return { field, isNegated: field !== name, values, path: [...under, name] };
    });
  return [
    ...from.flatMap(({ source }, i) => listed(source, [...path, 'from', i, 'source'])),
    ...to.flatMap(({ operation }, i) => listed(operation, [...path, 'to', i, 'operation'])),
    ...when.flatMap(({ key, values, notValues }, i) => {
      const lists = { ...(values && { values }), ...(notValues && { notValues }) };
      return listed(lists, [...path, 'when', i]).map((list) => ({ ...list, field: key }));
    }),
  ];
}
