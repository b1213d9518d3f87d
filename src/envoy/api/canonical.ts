import type { JsonPath } from '../../diagnostics/span.ts';
import { CanonicalPlaces, type WrittenForm } from './canonical-places.ts';
import { typedStructs } from './extension-place.ts';
import { decimal } from './scalar.ts';
import { anyTypes, type FieldSchema, isEnum, jsonName, lookupType } from './schema.ts';
import { wellKnownCheck, wrappers } from './well-known.ts';

type Json = Readonly<Record<string, unknown>>;

/** A message in canonical form, and how it leads back to what was written. */
export interface CanonicalMessage {
  readonly json: Json;
  readonly places: CanonicalPlaces;
  /** Fields that stand there in two spellings, as written; both are kept, for the checker to refuse. */
  readonly spelledTwice: readonly JsonPath[];
}

/**
 * A message of the type (full name without leading dot) in the one form that everything after its entry reads: fields by
 * their names in the schema (`filter_chains` for `filterChains`), no field that is null, enums by name, numbers as
 * numbers where JavaScript holds them exactly, and a TypedStruct in a `typed_config` as the message that it stands for,
 * which is how Envoy reads it (Config::Utility::translateOpaqueConfig). What the type does not have, and what is of
 * another shape than the type's, stays as it is: the checker refuses it.
 */
export function canonicalMessage(typeName: string, written: Json): CanonicalMessage {
  const walk = new Walk();
  const json = walk.message(typeName, written);
  return { json, places: new CanonicalPlaces(json, walk.forms), spelledTwice: walk.spelledTwice };
}

/** Deeper objects are left as they are; the checker refuses them at this depth. */
const deepest = 100;

class Walk {
  readonly forms = new WeakMap<object, WrittenForm>();
  readonly spelledTwice: JsonPath[] = [];
  readonly #path: (string | number)[] = [];

  message(typeName: string, written: Json): Json {
    return this.#fields(typeName, written, []);
  }

  /** `prefix` leads from what is reported as the message's place to its fields. */
  #fields(typeName: string, written: Json, prefix: JsonPath, first: readonly [string, unknown][] = []): Json {
    const fields = fieldsOf(typeName);
    const entries = [...first];
    const names = new Map<string, string>();
    for (const [key, value] of Object.entries(written)) {
      const field = fields.get(key);
      const takesNull = field === undefined || field.schema.type === '.google.protobuf.Value';
      if (value === null && !takesNull) continue;
      const isTwice = field !== undefined && field.name !== key && (written[field.name] ?? undefined) !== undefined;
      if (isTwice) this.spelledTwice.push([...this.#path, key]);
      const name = field === undefined || isTwice ? key : field.name;
      if (name !== key) names.set(name, key);
      this.#path.push(key);
      entries.push([name, field === undefined ? value : this.#field(field, value)]);
      this.#path.pop();
    }
    const message = Object.fromEntries(entries);
    if (names.size > 0 || prefix.length > 0) this.forms.set(message, { prefix, names });
    return message;
  }

  #field({ name, schema }: NamedField, value: unknown): unknown {
    if (this.#path.length >= deepest) return value;
    const isTyped = name.startsWith('typed_');
    if (schema.keyType !== undefined) {
      if (!isObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, this.#at(key, schema, item, isTyped)]),
      );
    }
    if (schema.rule !== 'repeated') return this.#value(schema.type, value, isTyped);
    return Array.isArray(value) ? value.map((item, index) => this.#at(index, schema, item, isTyped)) : value;
  }

  #at(step: string | number, { type }: FieldSchema, value: unknown, isTyped: boolean): unknown {
    this.#path.push(step);
    const canonical = this.#value(type, value, isTyped);
    this.#path.pop();
    return canonical;
  }

  #value(type: string, value: unknown, isTyped: boolean): unknown {
    const scalar = type.startsWith('.') ? wrappers[type.slice(1)] : type;
    if (scalar !== undefined) return scalarValue(scalar, value);
    const name = type.slice(1);
    if (name === 'google.protobuf.Any') return isObject(value) ? this.#any(value, isTyped) : value;
    if (wellKnownCheck(name, {}) !== undefined) return value;
    const schema = lookupType(name);
    if (isEnum(schema)) return Object.entries(schema.values).find(([, number]) => number === value)?.[0] ?? value;
    return isObject(value) ? this.#fields(name, value, []) : value;
  }

  #any(written: Json, isTyped: boolean): Json {
    const name = typeOf(written['@type']);
    if (name === undefined || wellKnownCheck(name, {}) !== undefined) return written;
    const inner = isTyped && typedStructs.has(name) ? structOf(written) : undefined;
    if (inner === undefined) return this.#fields(name, written, []);
    this.#path.push('value');
    const message = this.#fields(inner.type, inner.value, ['value'], [['@type', inner.url]]);
    this.#path.pop();
    return message;
  }
}

/** What a TypedStruct stands for; undefined where that is not known, or has a JSON form of its own. */
function structOf(written: Json): { readonly url: unknown; readonly type: string; readonly value: Json } | undefined {
  const { type_url: snake, typeUrl: url = snake, value = {} } = written;
  const type = typeOf(url);
  const isPlain = Object.keys(written).every((key) => ['@type', 'type_url', 'typeUrl', 'value'].includes(key));
  if (type === undefined || !isPlain || wellKnownCheck(type, {}) !== undefined) return undefined;
  if ((snake !== undefined && snake !== url) || !isObject(value) || Object.hasOwn(value, '@type')) return undefined;
  return { url, type, value };
}

function typeOf(url: unknown): string | undefined {
  const name = typeof url === 'string' ? url.slice(url.lastIndexOf('/') + 1) : '';
  return anyTypes.has(name) && name !== 'google.protobuf.Any' ? name : undefined;
}

interface NamedField {
  readonly name: string;
  readonly schema: FieldSchema;
}

const known = new Map<string, ReadonlyMap<string, NamedField>>();

/** By both spellings. */
function fieldsOf(typeName: string): ReadonlyMap<string, NamedField> {
  let fields = known.get(typeName);
  if (fields === undefined) {
    const type = lookupType(typeName);
    const list = isEnum(type) ? [] : Object.entries(type.fields).map(([name, schema]) => ({ name, schema }));
    fields = new Map([
      ...list.map((field) => [jsonName(field.name), field] as const),
      ...list.map((field) => [field.name, field] as const),
    ]);
    known.set(typeName, fields);
  }
  return fields;
}

/** Numbers of 64 bits stay as they are, since JavaScript does not hold all of them, and so do those beyond all doubles. */
function scalarValue(type: string, value: unknown): unknown {
  const isNumber = ['int32', 'uint32', 'float', 'double'].includes(type);
  if (!isNumber || typeof value !== 'string' || !decimal.test(value)) return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
