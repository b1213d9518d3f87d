import { nowhereHost } from '../compiler/topology/host.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { DiagnosticCode } from '../diagnostics/registry.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import type { DocumentRange } from '../source/cut.ts';
import type { JsonObject, JsonValue, PolicyDocument, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';
import { standInPath } from './good-versions.ts';
import { keyOf, nameOf } from './object-name.ts';

const ofDestinations: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'unknown-destination',
  'unknown-destination-port',
]);

/** Whether an error says that a route leads to a service, or to a port of one, that nobody declares: it may be gone, or not be there yet. */
export function isOfGoneDestination({ code }: Diagnostic): boolean {
  return ofDestinations.has(code);
}

/**
 * An object of the document for the time in which nobody declares some of its destinations: requests that are routed to
 * these get 503, connections are closed, all else of it holds. Undefined if something else is wrong with the document.
 */
export function standInWithoutDestinations(
  object: JsonObject,
  { file, range }: { readonly file: SourceFile; readonly range: DocumentRange },
  errors: readonly Diagnostic[],
): SourceFile | undefined {
  if (!errors.every(isOfGoneDestination)) return undefined;
  const key = keyOf(object);
  const text = file.text.slice(range.start, range.end);
  const document = parse([{ path: file.path, text }], new DiagnosticBag()).find(({ value }) => keyOf(value) === key);
  if (document === undefined) return undefined;
  const places = new Set(errors.flatMap(({ span }) => (span === undefined ? [] : [span.start - range.start])));
  const closed = withoutDestinations(document.value, [], { document, places });
  return { path: standInPath(file.path, nameOf(object)), text: JSON.stringify(closed) };
}

/** Where errors point, as offsets in the text of the document. */
interface Gone {
  readonly document: PolicyDocument;
  readonly places: ReadonlySet<number>;
}

function withoutDestinations(value: JsonValue, path: JsonPath, gone: Gone): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, i) => withoutDestinations(item, [...path, i], gone));
  }
  const object = value as JsonObject;
  if (isGone(object, path, gone)) return { host: nowhereHost };
  const fields = Object.entries(object).map(([field, item]) => {
    return [field, withoutDestinations(item, [...path, field], gone)] as const;
  });
  return Object.fromEntries(fields);
}

function isGone({ host, port }: JsonObject, path: JsonPath, { document, places }: Gone): boolean {
  if (typeof host !== 'string') return false;
  const isPointedAt = (...field: JsonPath): boolean => places.has(document.spanOf([...path, ...field]).start);
  return isPointedAt('host') || (typeof port === 'object' && port !== null && isPointedAt('port', 'number'));
}
