import { type EnumSchema, type FieldSchema, isEnum, lookupType } from '../schema.ts';
import { elements, type Mutation } from './mutate.ts';

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
    else yield* descend(field, value, [...path, name]);
  }
}

function* otherValues(schema: EnumSchema, name: string, value: unknown, path: Mutation['path']): Generator<Mutation> {
  if (typeof value !== 'string') return;
  const other = Object.keys(schema.values).find((candidate) => candidate !== value);
  if (other !== undefined)
    yield neutral('other enum value', path, (target) => Object.assign(target, { [name]: other }));
}

function* descend(field: FieldSchema, value: unknown, path: Mutation['path']): Generator<Mutation> {
  for (const [item, at] of elements(field, value, path)) {
    const { '@type': url, ...fields } = item as Record<string, unknown>;
    const type = typeof url === 'string' ? url.slice('type.googleapis.com/'.length) : field.type.slice(1);
    yield* neutralMutations(type, fields, at);
  }
}

function neutral(
  label: string,
  path: Mutation['path'],
  apply: (target: Record<string | number, unknown>) => unknown,
): Mutation {
  return { label, path, isBroken: false, apply: (target) => void apply(target) };
}
