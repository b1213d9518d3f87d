import common from '../../schemas/common.json' with { type: 'json' };

/** The keywords of a kind's JSON Schema that are used here. */
export interface KindSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, KindSchema>>;
  readonly items?: KindSchema;
  readonly additionalProperties?: boolean | KindSchema;
  readonly propertyNames?: { readonly format?: string; readonly minLength?: number };
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, KindSchema>>;
  /** What to write in the place of a field that is known and refused. */
  readonly 'x-unsupported'?: string;
  readonly 'x-refused-values'?: readonly string[];
  /** Values that others know, with why they are not supported. */
  readonly 'x-unsupported-values'?: Readonly<Record<string, string>>;
  readonly 'x-at-most-one'?: readonly string[];
  readonly 'x-at-least-one'?: readonly string[];
  readonly [bound: string]: unknown;
}

/** Resolves the reference of a schema; keywords beside the reference take precedence. Throws for a reference to nothing. */
export function resolved(schema: KindSchema, root: KindSchema): KindSchema {
  const { $ref, ...beside } = schema;
  if ($ref === undefined) return schema;
  const [, file, name = ''] = /^(common\.json)?#\/\$defs\/(\w+)$/.exec($ref) ?? [];
  const parts = file === undefined ? root.$defs : (common.$defs as Readonly<Record<string, KindSchema>>);
  const found = parts?.[name];
  if (found === undefined) throw new Error(`a schema refers to "${$ref}", which there is not`);
  return { ...resolved(found, root), ...beside };
}
