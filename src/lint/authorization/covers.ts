import type { AuthorizationRule, Condition, Operation, Source } from '../../policy/authorization-policy.ts';
import { coversValue, ValueSet } from './value-set.ts';

/**
 * Whether every request that matches `narrow` matches `wide` too. False also where it cannot be told from the values
 * alone.
 */
export function coversRule(wide: AuthorizationRule, narrow: AuthorizationRule): boolean {
  return (
    coversList(sourcesOf(wide), sourcesOf(narrow)) &&
    coversList(operationsOf(wide), operationsOf(narrow)) &&
    (wide.when ?? []).every((condition) => (narrow.when ?? []).some((other) => coversCondition(condition, other)))
  );
}

/** Values by field; `not…` fields are exceptions. */
type Fields = Readonly<Record<string, readonly string[] | undefined>>;

function sourcesOf({ from }: AuthorizationRule): readonly Fields[] {
  return (from ?? []).map(({ source }: { readonly source: Source }) => source as Fields);
}

function operationsOf({ to }: AuthorizationRule): readonly Fields[] {
  return (to ?? []).map(({ operation }: { readonly operation: Operation }) => operation as Fields);
}

/** The entries of a list are alternatives; a list that is absent holds always. */
function coversList(wide: readonly Fields[], narrow: readonly Fields[]): boolean {
  if (wide.length === 0) return true;
  if (narrow.length === 0) return wide.some((fields) => Object.keys(fields).length === 0);
  return narrow.every((fields) => wide.some((other) => coversFields(other, fields)));
}

function coversFields(wide: Fields, narrow: Fields): boolean {
  return Object.entries(wide).every(([field, values = []]) => {
    const others = narrow[field] ?? [];
    return isNegated(field) ? coversAll(others, values) : others.length > 0 && coversAll(values, others);
  });
}

function isNegated(field: string): boolean {
  return /^not[A-Z]/.test(field);
}

function coversCondition(wide: Condition, narrow: Condition): boolean {
  if (wide.key !== narrow.key) return false;
  const isWithin = wide.values === undefined || (narrow.values !== undefined && coversAll(wide.values, narrow.values));
  return isWithin && coversAll(narrow.notValues ?? [], wide.notValues ?? []);
}

/** Whether each of the narrow values is within one of the wide ones. */
export function coversAll(wide: readonly string[], narrow: readonly string[]): boolean {
  if (wide === narrow) return true;
  // Most lists are short, and a set would cost more than it saves.
  if (wide.length <= few) return narrow.every((value) => wide.some((other) => coversValue(other, value)));
  const set = new ValueSet(wide);
  return narrow.every((value) => set.covers(value));
}

const few = 8;
