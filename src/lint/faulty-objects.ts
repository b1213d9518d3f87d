import { isPolicyKind } from '../compiler/collect.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import type { PolicyDocument, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';

/** The policies in which the errors of an input are. */
export interface FaultyObjects {
  readonly kinds: ReadonlySet<string>;
  has(object: MeshObject<string>): boolean;
}

/**
 * Finds the objects of all errors; undefined where one is in no policy, for what the workloads, services and settings are is
 * then not known.
 */
export function faultyObjects(files: readonly SourceFile[], said: readonly Diagnostic[]): FaultyObjects | undefined {
  const errors = said.filter(({ severity }) => severity === 'error');
  const named = new Set(errors.map(({ span }) => span?.file));
  const bag = new DiagnosticBag();
  const documents = parse(
    files.filter(({ path }) => named.has(path)),
    bag,
  );
  if (bag.hasErrors) return undefined;
  const kinds = new Set<string>();
  const places = new Set<string>();
  for (const error of errors) {
    const document = documents.find((it) => holds(it, error));
    const kind = document?.value.kind;
    if (document === undefined || typeof kind !== 'string' || !isPolicyKind(kind)) return undefined;
    kinds.add(kind);
    places.add(placeOf(document));
  }
  return { kinds, has: ({ document }) => places.has(placeOf(document)) };
}

function holds(document: PolicyDocument, { span }: Diagnostic): boolean {
  const whole = document.spanOf([]);
  return span?.file === document.file && whole.start <= span.start && span.start <= whole.end;
}

function placeOf({ file, start }: PolicyDocument): string {
  return `${file} ${start.start}`;
}
