import type { ServerRule } from './server-rule.ts';
import type { Addition, Additions, StructuralSchema } from './structural-schema.ts';
import { textPatterns } from './text-patterns.ts';

/** A place with rules. */
export function rules(...all: readonly ServerRule[]): Addition {
  return { rules: all };
}

/** A place with other words of a schema. */
export function schema(part: Partial<StructuralSchema>): Addition {
  return { schema: part };
}

/** The same for several places. */
export function each(places: readonly string[], part: Partial<StructuralSchema>): Additions {
  return Object.fromEntries(places.map((place) => [place, schema(part)]));
}

/** A rule about a field that must not be there. */
export function forbidden(field: string, rule: string, message: string): ServerRule {
  return { rule, message, fieldPath: `.${field}`, reason: 'FieldValueForbidden' };
}

/** Numbers of a list that stand once. The list has a bound: a server wants to know how many there can be. */
export function once(number: string): ServerRule {
  return {
    rule: `self.all(one, self.exists_one(other, other.${number} == one.${number}))`,
    message: `a "${number}" stands twice`,
  };
}

/** Items of a list that stand once: whole, or by the field `key`. */
export function unique(key?: string): Partial<StructuralSchema> {
  return key === undefined
    ? { 'x-kubernetes-list-type': 'set' }
    : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] };
}

/** A text that may be empty, or is in a format. */
export function emptyOr(format: string): Partial<StructuralSchema> {
  const { pattern, maxLength } = textPatterns[format] ?? {};
  return { ...(maxLength !== undefined && { maxLength }), pattern: `^$|${pattern}` };
}

/** In CEL: a text is there and not empty. */
export function isSet(field: string, of = 'self'): string {
  return `(has(${of}.${field}) && ${of}.${field} != '')`;
}

/** In CEL: one of the fields is there at least. */
export function isAnyThere(fields: readonly string[], of = 'self'): string {
  return `(${fields.map((field) => `has(${of}.${field})`).join(' || ')})`;
}

/** Two who apply parts of a selector would select what neither of them meant: one owns it whole. */
export const ownedWhole: Addition = schema({ 'x-kubernetes-map-type': 'atomic' });

export const selectors: Additions = { selector: ownedWhole, workloadSelector: ownedWhole };

export const exportTo: Additions = {
  exportTo: {
    schema: unique(),
    rules: [
      {
        rule: "size(self) < 2 || !self.exists(entry, entry == '*')",
        message: '"*" stands alone: it is every namespace',
      },
    ],
  },
};
