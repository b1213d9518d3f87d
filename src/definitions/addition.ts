import type { ServerRule } from './server-rule.ts';
import type { Addition, Additions, StructuralSchema } from './structural-schema.ts';
import { textPatterns } from './text-patterns.ts';

/** Adds rules at a place of a schema. */
export function rules(...all: readonly ServerRule[]): Addition {
  return { rules: all };
}

/** Adds keywords at a place of a schema. */
export function schema(part: Partial<StructuralSchema>): Addition {
  return { schema: part };
}

/** Adds the same keywords at several places. */
export function each(places: readonly string[], part: Partial<StructuralSchema>): Additions {
  return Object.fromEntries(places.map((place) => [place, schema(part)]));
}

/** A rule that forbids a field unless `rule` holds. */
export function forbidden(field: string, rule: string, message: string): ServerRule {
  return { rule, message, fieldPath: `.${field}`, reason: 'FieldValueForbidden' };
}

/**
 * A rule that numbers in a list are unique. The list needs a largest length, because the API server estimates the cost of the
 * rule.
 */
export function once(number: string): ServerRule {
  return {
    rule: `self.all(one, self.exists_one(other, other.${number} == one.${number}))`,
    message: `a "${number}" stands twice, expected once`,
  };
}

/** Keywords that make the items of a list unique, as a whole or by the field `key`. */
export function unique(key?: string): Partial<StructuralSchema> {
  return key === undefined
    ? { 'x-kubernetes-list-type': 'set' }
    : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] };
}

/** Keywords for a text that is empty or has the format. */
export function emptyOr(format: string): Partial<StructuralSchema> {
  const { pattern, maxLength } = textPatterns[format] ?? {};
  return { ...(maxLength !== undefined && { maxLength }), pattern: `^$|${pattern}` };
}

/** CEL expression: the text field exists and is not empty. */
export function isSet(field: string, of = 'self'): string {
  return `(has(${of}.${field}) && ${of}.${field} != '')`;
}

/** CEL expression: at least one of the fields exists. */
export function isAnyThere(fields: readonly string[], of = 'self'): string {
  return `(${fields.map((field) => `has(${of}.${field})`).join(' || ')})`;
}

/** Server-side apply then never merges the selectors of two writers into one that selects other workloads. */
export const ownedWhole: Addition = schema({ 'x-kubernetes-map-type': 'atomic' });

export const selectors: Additions = { selector: ownedWhole, workloadSelector: ownedWhole };

export const exportTo: Additions = {
  exportTo: {
    schema: unique(),
    rules: [
      {
        rule: "size(self) < 2 || !self.exists(entry, entry == '*')",
        message: '"*" is every namespace: no other entry can stand beside it',
      },
    ],
  },
};
