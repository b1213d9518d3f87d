import type { JsonPath } from '../../diagnostics/span.ts';
import { type FieldSchema, isEnum, jsonName, lookupType, type MessageSchema } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * `over` laid over `base`, two messages of one type in JSON form, as Envoy lays `--config-yaml` over its file
 * (protobuf's MergeFrom): scalars are replaced, messages merged, lists appended, entries of maps replaced by key; a
 * member of a oneof removes the others; an Any is replaced whole. `a_b` and `aB` are one field. Unlike there, a value
 * that is the type's default (0, false, empty) replaces too. Fields that the type does not have are taken as they are.
 */
export function mergeMessages(typeName: string, base: Json, over: Json): Json {
  const schema = messageOf(typeName);
  const merged: Record<string, unknown> = { ...base };
  for (const [written, value] of Object.entries(over)) {
    if (value === null) continue;
    const name = fieldNameOf(schema, written);
    const key = name === undefined ? written : (keyIn(merged, name) ?? name);
    // Two members in the override itself stay, for the check of the result to refuse them.
    const rivals = name === undefined ? [] : rivalsOf(schema, name).filter((other) => keyIn(over, other) === undefined);
    for (const other of rivals) delete merged[keyIn(merged, other) ?? other];
    merged[key] = mergeField(name === undefined ? undefined : schema?.fields[name], merged[key], value);
  }
  return merged;
}

/** Where in `over` the value at `path` of the merged message stands; undefined where `base` alone says it. */
export function pathInOverride(typeName: string, base: Json, over: Json, path: JsonPath): JsonPath | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return undefined;
  const schema = messageOf(typeName);
  const name = fieldNameOf(schema, String(step));
  const overKey = keyIn(over, name ?? String(step));
  if (overKey === undefined) return undefined;
  const field = name === undefined ? undefined : schema?.fields[name];
  const before = base[keyIn(base, name ?? String(step)) ?? ''];
  const value = over[overKey];
  if (isMap(field)) {
    const [key, ...inside] = rest;
    if (key === undefined) return [overKey];
    return isObject(value) && key in value ? [overKey, key, ...inside] : undefined;
  }
  if (field?.rule === 'repeated') {
    const [index, ...inside] = rest;
    if (index === undefined) return [overKey];
    const own = Number(index) - (Array.isArray(before) ? before.length : 0);
    return own < 0 ? undefined : [overKey, own, ...inside];
  }
  const type = mergedType(field);
  if (type === undefined || !isObject(before) || !isObject(value)) return [overKey, ...rest];
  if (rest.length === 0) return [overKey];
  const inside = pathInOverride(type, before, value, rest);
  return inside && [overKey, ...inside];
}

/** Fields that `over` spells in both ways, as paths: which of the two counts is not said. */
export function fieldsSpelledTwice(over: unknown, path: JsonPath = []): readonly JsonPath[] {
  if (typeof over !== 'object' || over === null) return [];
  return Object.entries(over).flatMap(([key, value]) => {
    const here = [...path, Array.isArray(over) ? Number(key) : key];
    const camel = jsonName(key);
    const isTwice = !Array.isArray(over) && camel !== key && Object.hasOwn(over, camel);
    return [...(isTwice ? [here] : []), ...fieldsSpelledTwice(value, here)];
  });
}

function mergeField(field: FieldSchema | undefined, before: unknown, value: unknown): unknown {
  if (before === undefined || before === null) return value;
  if (isMap(field)) return isObject(before) && isObject(value) ? { ...before, ...value } : value;
  if (field?.rule === 'repeated') {
    return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
  }
  const type = mergedType(field);
  return type !== undefined && isObject(before) && isObject(value) ? mergeMessages(type, before, value) : value;
}

/** A Struct is a map of values under another name. */
function isMap(field: FieldSchema | undefined): boolean {
  return field?.keyType !== undefined || (field?.type === '.google.protobuf.Struct' && field.rule === undefined);
}

/** The message type whose fields are merged; undefined for what is replaced whole. */
function mergedType(field: FieldSchema | undefined): string | undefined {
  if (field === undefined || field.rule === 'repeated' || !field.type.startsWith('.')) return undefined;
  // Any, durations and wrappers: the JSON form of each is one value.
  return field.type.startsWith('.google.protobuf.') || isEnum(lookupType(field.type.slice(1)))
    ? undefined
    : field.type.slice(1);
}

function messageOf(typeName: string): MessageSchema | undefined {
  const type = lookupType(typeName);
  return isEnum(type) ? undefined : type;
}

function fieldNameOf(schema: MessageSchema | undefined, written: string): string | undefined {
  if (schema === undefined) return undefined;
  if (Object.hasOwn(schema.fields, written)) return written;
  return Object.keys(schema.fields).find((name) => jsonName(name) === written);
}

function keyIn(message: Json, name: string): string | undefined {
  return [name, jsonName(name)].find((key) => Object.hasOwn(message, key));
}

function rivalsOf(schema: MessageSchema | undefined, name: string): readonly string[] {
  const oneofs = Object.values(schema?.oneofs ?? {}).filter(({ oneof }) => oneof.includes(name));
  return oneofs.flatMap(({ oneof }) => oneof.filter((other) => other !== name));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
