import { type EnumSchema, isEnum, lookupType } from '../schema.ts';
import type { Mutation } from './mutate.ts';

/**
 * Changes that keep to the schema of the message: a field left out, another value of an enum, another small number. They
 * may still break a rule or make no sense; what they show is a checker that refuses too much or too little.
 */
export function* neutralMutations(
  typeName: string,
  json: object,
  path: readonly (string | number)[] = [],
): Generator<Mutation> {
  const schema = lookupType(typeName);
  if (isEnum(schema)) return;
  for (const [name, field] of Object.entries(schema.fields)) {
    const value = (json as Record<string, unknown>)[name];
    if (value === undefined || value === null) continue;
    yield neutral('field left out', path, (target) => delete target[name]);
    if (/uint32|UInt32Value/.test(field.type) && typeof value === 'number') {
      yield neutral('number zero', path, (target) => Object.assign(target, { [name]: 0 }));
      yield neutral('number one more', path, (target) => Object.assign(target, { [name]: value + 1 }));
    }
    if (field.type === 'string' && field.rule === undefined && field.keyType === undefined) {
      yield neutral('empty text', path, (target) => Object.assign(target, { [name]: '' }));
    }
    if (!field.type.startsWith('.') || (field.type.startsWith('.google.') && field.type !== '.google.protobuf.Any'))
      continue;
    if (field.rule === 'repeated') yield neutral('empty list', path, (target) => Object.assign(target, { [name]: [] }));
    const inner = lookupType(field.type.slice(1));
    if (isEnum(inner)) yield* otherValues(inner, name, value, path);
    else
      yield* descend(
        field.type.slice(1),
        value,
        [...path, name],
        field.rule === 'repeated' || field.keyType !== undefined,
      );
  }
}

function* otherValues(schema: EnumSchema, name: string, value: unknown, path: Mutation['path']): Generator<Mutation> {
  if (typeof value !== 'string') return;
  const other = Object.keys(schema.values).find((candidate) => candidate !== value);
  if (other !== undefined)
    yield neutral('other enum value', path, (target) => Object.assign(target, { [name]: other }));
}

function* descend(type: string, value: unknown, path: Mutation['path'], isCollection: boolean): Generator<Mutation> {
  if (isCollection) {
    const entries = Array.isArray(value)
      ? value.map((item, index) => [index, item] as const)
      : Object.entries(value as object);
    for (const [key, item] of entries) yield* descend(type, item, [...path, key], false);
  } else if (type !== 'google.protobuf.Any') {
    yield* neutralMutations(type, value as object, path);
  } else {
    const { '@type': url, ...fields } = value as Record<string, unknown>;
    yield* neutralMutations(String(url).slice('type.googleapis.com/'.length), fields, path);
  }
}

function neutral(
  label: string,
  path: Mutation['path'],
  apply: (target: Record<string | number, unknown>) => unknown,
): Mutation {
  return { label, path, isBroken: false, apply: (target) => void apply(target) };
}
