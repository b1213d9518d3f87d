import type { JsonPath } from '../../diagnostics/span.ts';
import { type FieldSchema, isEnum, lookupType, type MessageSchema } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * `over` laid over `base`, two messages of one type in canonical form, as Envoy lays `--config-yaml` over its file
 * (protobuf's MergeFrom): scalars are replaced, messages merged, lists appended, entries of maps replaced by key; a
 * member of a oneof removes the others; an Any is replaced whole. Unlike there, a value that is the type's default (0,
 * false, empty) replaces too. Fields that the type does not have are taken as they are.
 */
export function mergeMessages(typeName: string, base: Json, over: Json): Json {
  const schema = messageOf(typeName);
  const merged = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(over)) {
    // Two members in the override itself stay, for the check of the result to refuse them.
    for (const other of rivalsOf(schema, name)) if (!Object.hasOwn(over, other)) merged.delete(other);
    merged.set(name, mergeField(fieldOf(schema, name), merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Where in `over` the value at `path` of the merged message stands; undefined where `base` alone says it. */
export function pathInOverride(typeName: string, base: Json, over: Json, path: JsonPath): JsonPath | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return undefined;
  const schema = messageOf(typeName);
  const name = String(step);
  if (!Object.hasOwn(over, name)) return undefined;
  const field = fieldOf(schema, name);
  const before = base[name];
  const value = over[name];
  if (isMap(field)) {
    const [key, ...inside] = rest;
    if (key === undefined) return [name];
    return isObject(value) && key in value ? [name, key, ...inside] : undefined;
  }
  if (field?.rule === 'repeated') {
    const [index, ...inside] = rest;
    if (index === undefined) return [name];
    const own = Number(index) - (Array.isArray(before) ? before.length : 0);
    return own < 0 ? undefined : [name, own, ...inside];
  }
  const type = mergedType(field);
  if (type === undefined || !isObject(before) || !isObject(value)) return [name, ...rest];
  if (rest.length === 0) return [name];
  const inside = pathInOverride(type, before, value, rest);
  return inside && [name, ...inside];
}

function mergeField(field: FieldSchema | undefined, before: unknown, value: unknown): unknown {
  if (before === undefined) return value;
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

function fieldOf(schema: MessageSchema | undefined, name: string): FieldSchema | undefined {
  return schema !== undefined && Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
}

function rivalsOf(schema: MessageSchema | undefined, name: string): readonly string[] {
  const oneofs = Object.values(schema?.oneofs ?? {}).filter(({ oneof }) => oneof.includes(name));
  return oneofs.flatMap(({ oneof }) => oneof.filter((other) => other !== name));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
