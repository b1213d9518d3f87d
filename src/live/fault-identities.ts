import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import { blanked } from '../source/cut.ts';
import type { JsonObject, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';
import type { FaultyDocument } from './fault-search.ts';
import type { GoodVersion } from './good-versions.ts';
import { keyOf, nameOf } from './object-name.ts';

/** An object of an invalid document, and the key that it is known by. */
export interface Identity {
  readonly object: JsonObject;
  readonly key: string;
}

/** The objects that an invalid document contains; none if they can't be determined. */
export function identitiesOf(
  { file, range }: FaultyDocument,
  errors: readonly Diagnostic[],
  files: readonly SourceFile[],
  versions: ReadonlyMap<string, GoodVersion>,
): readonly Identity[] {
  const text = file.text.slice(range.start, range.end);
  const objects = parse([{ path: file.path, text }], new DiagnosticBag()).map(({ value }) => value);
  if (objects.length > 0) {
    const identities = objects.map((object) => ({ object, key: keyOf(object) }));
    const unknown = unknownFields(errors, file);
    const isKnown = ({ object, key }: Identity): boolean =>
      isNamed(object) && (versions.get(key)?.path === file.path || !mayMeanNamespace(object, unknown));
    return identities.every(isKnown) ? identities : [];
  }
  // No parser reads it: it is taken for the one object of this file that is missing now, and that it names.
  const named = [...versions].filter(([, { path, object }]) => path === file.path && namesObject(text, object));
  if (named.length === 0) return [];
  const rest = files.map((other) => (other === file ? { ...file, text: blanked(file.text, [range]) } : other));
  const present = new Set(parse(rest, new DiagnosticBag()).map(({ value }) => keyOf(value)));
  const missing = named.filter(([key]) => !present.has(key));
  const [only] = missing;
  return missing.length === 1 && only !== undefined ? [{ key: only[0], object: only[1].object }] : [];
}

function isNamed(object: JsonObject): boolean {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { name, namespace } = metadata as JsonObject;
  return (
    typeof object.kind === 'string' && typeof name === 'string' && ['string', 'undefined'].includes(typeof namespace)
  );
}

/** The keys that errors call unknown. */
function unknownFields(errors: readonly Diagnostic[], file: SourceFile): readonly string[] {
  return errors.flatMap(({ code, span }) => {
    if (code !== 'unknown-field' || span?.file !== file.path) return [];
    return [file.text.slice(span.start, span.end).replace(/^(["'])(.*)\1$/, '$2')];
  });
}

/** An object without a namespace, beside whose name an unknown field stands: that may be the namespace, misspelled. */
function mayMeanNamespace(object: JsonObject, unknown: readonly string[]): boolean {
  const metadata = object.metadata as JsonObject;
  if (metadata.namespace !== undefined) return false;
  return unknown.some((field) => Object.hasOwn(metadata, field) || Object.hasOwn(object, field));
}

/** One of the same kind and name in another namespace is another object. */
function namesObject(text: string, object: JsonObject): boolean {
  const { namespace, name } = nameOf(object);
  const says = (field: string, value: string): boolean =>
    new RegExp(`["']?\\b${field}["']?\\s*:\\s*["']?${value.replaceAll(/[^\w]/g, '\\$&')}(?![\\w.-])`).test(text);
  const isUnsaid = namespace === '' || (namespace === 'default' && !/\bnamespace\b/.test(text));
  return says('kind', String(object.kind)) && says('name', name) && (isUnsaid || says('namespace', namespace));
}
