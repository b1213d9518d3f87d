import { formats } from '../schema/formats.ts';
import type { KindSchema } from './kind-schema.ts';
import { keyPatterns } from './text-patterns.ts';

/** A rule that an API server checks, in CEL (`x-kubernetes-validations`). */
export interface ServerRule {
  /** True for what is valid; `self` is the value at the place of the rule. */
  readonly rule: string;
  readonly message: string;
  /** Of the field at fault, below that place. */
  readonly fieldPath?: string;
  readonly reason?: 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired';
}

/** Rules for keywords of a JSON Schema that OpenAPI lacks. `properties` are resolved. */
export function keywordRules(schema: KindSchema, properties: readonly (readonly [string, KindSchema])[]): ServerRule[] {
  const most = schema['x-at-most-one'] ?? [];
  const least = schema['x-at-least-one'] ?? [];
  const unsupported = properties.flatMap(([name, part]) =>
    part['x-unsupported'] === undefined ? [] : [{ name, instead: part['x-unsupported'] }],
  );
  const isOffered = (name: string): boolean => !unsupported.some((one) => one.name === name);
  return [
    ...unsupported.map(
      ({ name, instead }): ServerRule => ({
        rule: `!has(self.${name})`,
        message: `not supported: ${instead}`,
        fieldPath: `.${name}`,
        reason: 'FieldValueForbidden',
      }),
    ),
    ...(isOneOfAll(schema) ? [] : atMostOne(most.filter(isOffered))),
    ...atLeastOne(least.filter(isOffered)),
  ];
}

/** Whether at most one of all fields may be set, which `maxProperties` expresses without a rule. */
export function isOneOfAll(schema: KindSchema): boolean {
  const most = schema['x-at-most-one'] ?? [];
  return most.length > 0 && Object.keys(schema.properties ?? {}).every((name) => most.includes(name));
}

/** Rules for the keys of a map, by the format of its `propertyNames`. */
export function keyRules(format: string | undefined): ServerRule[] {
  if (format === undefined) return [];
  const pattern = keyPatterns[format === 'selector-key' ? 'label-key' : format];
  if (pattern === undefined) throw new Error(`keys of the format "${format}" have no pattern`);
  return [
    {
      rule: `self.all(key, key.matches(r'${pattern}'))`,
      message: `every key has to be ${formats[format]?.expected}`,
    },
  ];
}

/** A rule that at most one of the fields exists. A sum costs the API server less than a list. */
export function atMostOne(names: readonly string[]): ServerRule[] {
  if (names.length < 2) return [];
  const count = names.map((name) => `(has(self.${name}) ? 1 : 0)`).join(' + ');
  return [{ rule: `${count} < 2`, message: `at most one of these: ${names.join(', ')}` }];
}

/** A rule that at least one of the fields exists. */
export function atLeastOne(names: readonly string[]): ServerRule[] {
  if (names.length === 0) return [];
  const rule = names.map((name) => `has(self.${name})`).join(' || ');
  return [{ rule, message: `one of these is needed: ${names.join(', ')}` }];
}

/** Names for a message: `"a", "b"`. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
