import type { Rules } from './rules.ts';
import schemaJson from './schema.json' with { type: 'json' };

/** A field as protobufjs' JSON form of a schema has it; `type` is a scalar's name or `.full.name`. */
export interface FieldSchema {
  readonly id: number;
  readonly type: string;
  readonly rule?: 'repeated';
  /** Present on map fields. */
  readonly keyType?: string;
  readonly options?: FieldOptions;
}

/** The options that the generator keeps: rules of protoc-gen-validate, presence, deprecation, secrets. */
export interface FieldOptions {
  readonly '(validate.rules)'?: Rules;
  readonly proto3_optional?: boolean;
  readonly deprecated?: boolean;
  readonly '(envoy.annotations.deprecated_at_minor_version)'?: string;
  readonly '(envoy.annotations.disallowed_by_default)'?: boolean;
  readonly '(udpa.annotations.sensitive)'?: boolean;
}

export interface OneofSchema {
  readonly oneof: readonly string[];
  readonly options?: { readonly '(validate.required)'?: boolean };
}

export interface MessageSchema {
  readonly fields: Readonly<Record<string, FieldSchema>>;
  readonly oneofs?: Readonly<Record<string, OneofSchema>>;
  readonly options?: { readonly '(validate.disabled)'?: boolean; readonly '(validate.ignored)'?: boolean };
}

export interface EnumSchema {
  readonly values: Readonly<Record<string, number>>;
  readonly valuesOptions?: Readonly<
    Record<string, { readonly '(envoy.annotations.disallowed_by_default_enum)'?: boolean }>
  >;
}

interface SchemaNode extends Partial<MessageSchema>, Partial<Omit<EnumSchema, 'options'>> {
  readonly nested?: Readonly<Record<string, SchemaNode>>;
}

const root = schemaJson as unknown as SchemaNode & {
  readonly options: { readonly envoy_version: string; readonly any_types: readonly string[] };
};

/** The Envoy release whose API this is, as `1.40.0`. */
export const schemaVersion: string = root.options.envoy_version;

/** Full names of what may stand in an `@type`: resources, extensions of the stock build, well-known types. */
export const anyTypes: ReadonlySet<string> = new Set(root.options.any_types);

/** The message or enum of a full name without leading dot; a name that the schema lacks is a bug of the caller. */
export function lookupType(name: string): MessageSchema | EnumSchema {
  const node = findNode(name);
  if (node?.values !== undefined) return { ...node, values: node.values };
  if (node?.fields !== undefined) return { ...node, fields: node.fields };
  throw new Error(`no type ${name} in the schema of Envoy ${schemaVersion}`);
}

export function isEnum(type: MessageSchema | EnumSchema): type is EnumSchema {
  return 'values' in type;
}

/** Full names of all messages, sorted; for tests that must see every type. */
export function messageNames(): string[] {
  const names: string[] = [];
  const walk = (node: SchemaNode, prefix: string): void => {
    for (const [name, child] of Object.entries(node.nested ?? {})) {
      if (child.fields !== undefined) names.push(prefix + name);
      walk(child, `${prefix}${name}.`);
    }
  };
  walk(root, '');
  return names.sort();
}

/** protobuf's JSON name of a field: `filter_chains` is `filterChains`. */
export function jsonName(name: string): string {
  if (!name.includes('_')) return name;
  return name.replaceAll(/_+([a-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}

function findNode(name: string): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const part of name.split('.')) node = node?.nested?.[part];
  return node;
}
