import { readFileSync } from 'node:fs';

/** One field of a kind, as its JSON Schema describes it. */
export interface SchemaField {
  /** `spec.servers[].port.number`; `<key>` stands for any key of a map. */
  readonly path: string;
  readonly type: string;
  readonly default: unknown;
  readonly description: string;
  /** Why the field is refused, or what to write instead. */
  readonly unsupported: string | undefined;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly unknown[];
  /** Values that are known and refused with a message of their own. */
  readonly 'x-refused-values'?: readonly unknown[];
  readonly format?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly 'x-unsupported'?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Every field of `schemas/<name>.json` in the order of the schema, except what is the same for every kind. */
export function schemaFields(name: string): readonly SchemaField[] {
  const { properties = {} } = readSchema(`${name}.json`);
  const common = new Set(['apiVersion', 'kind', 'metadata']);
  return Object.entries(properties)
    .filter(([field]) => !common.has(field))
    .flatMap(([field, schema]) => fieldsBelow(field, schema, []));
}

/** The fields of `metadata` that are read, which are the same for every kind. */
export function metadataFields(): readonly SchemaField[] {
  return childrenOf('metadata', resolved({ $ref: 'common.json#/$defs/metadata' }), []).filter(isRead);
}

/** Not one of those that only a server writes, at the root of an object or of a template of pods. */
export function isRead({ path, description }: SchemaField): boolean {
  return !(path.includes('metadata.') && description === 'Written by servers.');
}

function fieldsBelow(path: string, written: Schema, seen: readonly string[]): SchemaField[] {
  const schema = resolved(written);
  const field: SchemaField = {
    path,
    type: typeOf(schema),
    default: schema.default,
    description: schema.description ?? '',
    unsupported: schema['x-unsupported'],
  };
  const { $ref } = written;
  if ($ref !== undefined && seen.includes($ref)) return [field];
  const inner = $ref === undefined ? seen : [...seen, $ref];
  return [field, ...childrenOf(path, schema, inner)];
}

function childrenOf(path: string, schema: Schema, seen: readonly string[]): SchemaField[] {
  const { properties = {}, items, additionalProperties } = schema;
  const named = Object.entries(properties).flatMap(([name, it]) => fieldsBelow(`${path}.${name}`, it, seen));
  const listed = items === undefined ? [] : childrenOf(`${path}[]`, resolved(items), withRef(items, seen));
  const mapped =
    typeof additionalProperties === 'object'
      ? childrenOf(`${path}.<key>`, resolved(additionalProperties), withRef(additionalProperties, seen))
      : [];
  return [...named, ...listed, ...mapped];
}

function withRef({ $ref }: Schema, seen: readonly string[]): readonly string[] {
  return $ref === undefined ? seen : [...seen, $ref];
}

/** The schema with what its reference says; its own words win. */
function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const [file = '', pointer = ''] = schema.$ref.split('#');
  const target = pointer
    .split('/')
    .filter((part) => part !== '')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], readSchema(file));
  return { ...resolved(target as Schema), ...schema };
}

function typeOf({ type, const: only, enum: known, format, items, additionalProperties, ...schema }: Schema): string {
  const values = known?.filter((value) => !schema['x-refused-values']?.includes(value));
  if (only !== undefined) return `\`${only}\``;
  if (values !== undefined) return values.map((value) => (value === '' ? '`""`' : `\`${value}\``)).join(', ');
  const named = [type ?? 'any'].flat().filter((one) => one !== 'null')[0] ?? 'any';
  if (named === 'array') return `list of ${items === undefined ? 'any' : typeOf(resolved(items))}`;
  if (named === 'object' && typeof additionalProperties === 'object') {
    return `map to ${typeOf(resolved(additionalProperties))}`;
  }
  return format ?? named;
}

const read = new Map<string, Schema>();

function readSchema(file: string): Schema {
  const known = read.get(file);
  if (known !== undefined) return known;
  // References inside a file name it too, so that they can be followed from anywhere.
  const text = readFileSync(`schemas/${file}`, 'utf8').replaceAll('"$ref": "#', `"$ref": "${file}#`);
  const schema = JSON.parse(text) as Schema;
  read.set(file, schema);
  return schema;
}
