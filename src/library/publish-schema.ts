import { aliases } from '../policy/alias.ts';

/** A JSON Schema, or a part of one. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/**
 * A part of a schema as editors take it: references lead to `$defs` of the root, since few editors follow `$id`s inside; and
 * what our own keywords say is said in standard ones. `own` is the reference to the schema that the part is of.
 */
export function publish(part: unknown, own: string): unknown {
  if (Array.isArray(part)) return part.map((item) => publish(item, own));
  if (typeof part !== 'object' || part === null) return part;
  const schema = part as Schema;
  const entries = Object.entries(schema).filter(([keyword]) => keyword !== '$id' && keyword !== '$schema');
  const published = Object.fromEntries(entries.map(([keyword, value]) => [keyword, publishValue(keyword, value, own)]));
  const meant = meantBy(schema);
  return meant.length === 0 ? published : { ...published, allOf: [...((published.allOf as []) ?? []), ...meant] };
}

/** Names of the schemas that a schema refers to, without `.json`. */
export function referred(schema: Schema): readonly string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"([\w-]+)\.json/g)].map(([, name = '']) => name);
}

function publishValue(keyword: string, value: unknown, own: string): unknown {
  // A value may look like a schema.
  if (keyword === 'examples' || keyword === 'default' || keyword === 'const') return value;
  if (keyword === '$ref') return localReference(String(value), own);
  if (keyword === 'properties' || keyword === '$defs') {
    return Object.fromEntries(Object.entries(value as object).map(([name, it]) => [name, publish(it, own)]));
  }
  if (keyword === 'enum') return (value as unknown[]).flatMap(withAliases);
  return publish(value, own);
}

function localReference(reference: string, own: string): string {
  const [file = '', pointer = ''] = reference.split('#');
  return `${file === '' ? own : `#/$defs/${file.replace('.json', '')}`}${pointer}`;
}

/** A mode of TLS, and Istio's name for it. */
function withAliases(value: unknown): readonly unknown[] {
  return [value, ...Object.entries(aliases.tlsModes).flatMap(([alias, mode]) => (mode === value ? [alias] : []))];
}

/** What keywords of ours mean, in standard ones. */
function meantBy(schema: Schema): readonly Schema[] {
  const required = (names: readonly string[]): Schema => ({ required: names });
  const most = names(schema['x-at-most-one']);
  const least = names(schema['x-at-least-one']);
  return [
    ...(typeof schema['x-unsupported'] === 'string' ? [{ not: {} }] : []),
    ...(most.length < 2
      ? []
      : [{ not: { anyOf: most.flatMap((a, i) => most.slice(i + 1).map((b) => required([a, b]))) } }]),
    ...(least.length === 0 ? [] : [{ anyOf: least.map((name) => required([name])) }]),
  ];
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}
