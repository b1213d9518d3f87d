import { aliases } from '../policy/alias.ts';
import { type KindSchema, resolved } from './kind-schema.ts';
import { isOneOfAll, keyRules, keywordRules, type ServerRule } from './server-rule.ts';
import { textPatterns } from './text-patterns.ts';

/** A structural schema (OpenAPI 3.0), as a CustomResourceDefinition contains it. */
export interface StructuralSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly 'x-kubernetes-validations'?: readonly ServerRule[];
  readonly [keyword: string]: unknown;
}

/** An addition of a kind to its JSON Schema, at one place. */
export interface Addition {
  readonly rules?: readonly ServerRule[];
  readonly schema?: Partial<StructuralSchema>;
}

/** Additions by place: a path with `[]` for items and `<key>` for values of maps, or the end of such a path after a dot. */
export type Additions = Readonly<Record<string, Addition>>;

const bounds = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'minimum', 'maximum'] as const;

export interface SchemaContext {
  /** The whole schema of the kind, whose parts references lead to. */
  readonly root: KindSchema;
  readonly additions: Additions;
  readonly keepsUnknown: boolean;
}

/** A server wants to know how much there can be to look at. */
const mostKeys = 256;

/**
 * Converts the part of a kind's schema at `path` into a structural schema. It has no place for unknown fields: the API server
 * refuses them, or drops them with a warning, as the client requests. Formats are checked by patterns.
 */
export function structuralSchema(written: KindSchema, path: string, context: SchemaContext): StructuralSchema {
  const { root, additions, keepsUnknown } = context;
  const schema = resolved(written, root);
  const own = additionAt(path, additions);
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const [type] = types.filter((name) => name !== 'null');
  const inner = (part: KindSchema, below: string): StructuralSchema =>
    structuralSchema(part, `${path}${below}`, context);
  const fields = Object.entries(schema.properties ?? {}).map(([name, part]) => [name, resolved(part, root)] as const);
  const { items, additionalProperties: values } = schema;
  // In a list, the sum of what looking at keys may cost is more than a server allows.
  const ofKeys = path.includes('[]') ? [] : keyRules(schema.propertyNames?.format);
  const rules = [...keywordRules(schema, fields), ...ofKeys, ...own.rules];
  return {
    ...(schema.description !== undefined && { description: schema.description }),
    ...(type !== undefined && { type }),
    ...((type === undefined || (keepsUnknown && fields.length > 0)) && keepUnknown),
    ...(types.includes('null') && { nullable: true }),
    ...(schema.enum !== undefined && { enum: valuesOf(schema) }),
    ...(schema.format !== undefined && textPatterns[schema.format]),
    ...Object.fromEntries(bounds.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]]))),
    ...(fields.length > 0 && {
      properties: Object.fromEntries(
        fields.map(([name, part]) => [
          name,
          part['x-unsupported'] === undefined ? inner(part, `.${name}`) : unsupported(name, part),
        ]),
      ),
    }),
    ...(items !== undefined && { items: inner(items, '[]') }),
    ...(typeof values === 'object' && { additionalProperties: inner(values, '.<key>') }),
    ...(isOneOfAll(schema) && { maxProperties: 1 }),
    ...(ofKeys.length > 0 && { maxProperties: mostKeys }),
    ...(schema.required !== undefined && { required: schema.required }),
    ...own.schema,
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  };
}

const text: StructuralSchema = { type: 'string' };
const keepUnknown = { 'x-kubernetes-preserve-unknown-fields': true };
const anything: StructuralSchema = { type: 'object', ...keepUnknown };

/** A rule can ask whether a field is there only where its type is known. It is an object where nothing is said here. */
const unsupportedShapes: Readonly<Record<string, StructuralSchema>> = {
  ...{ bind: text, caCertCredentialName: text, defaultEndpoint: text, exponentialDelay: text, http2Error: text },
  ...{ name: text, prefixRewrite: text, targetPort: { type: 'integer' } },
  ...{ attributes: listOf(anything), credentialNames: listOf(text), tlsCertificates: listOf(anything) },
};

function listOf(items: StructuralSchema): StructuralSchema {
  return { type: 'array', items };
}

function unsupported(name: string, { description }: KindSchema): StructuralSchema {
  return { ...(description !== undefined && { description }), ...(unsupportedShapes[name] ?? anything) };
}

/** Refused values are none; a mode of TLS has Istio's name too. */
function valuesOf(schema: KindSchema): readonly string[] {
  const refused = schema['x-refused-values'] ?? [];
  const values = (schema.enum ?? []).filter((value) => !refused.includes(value));
  const theirs = Object.entries(aliases.tlsModes).flatMap(([alias, mode]) => (values.includes(mode) ? [alias] : []));
  return [...values, ...theirs];
}

function additionAt(path: string, additions: Additions): Required<Addition> {
  const own = Object.entries(additions).flatMap(([place, addition]) =>
    path === place || path.endsWith(`.${place}`) ? [addition] : [],
  );
  return {
    rules: own.flatMap(({ rules = [] }) => rules),
    schema: Object.assign({}, ...own.map(({ schema }) => schema)),
  };
}
