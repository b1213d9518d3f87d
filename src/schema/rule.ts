import type { DiagnosticBag, ReportExtras } from '../diagnostics/bag.ts';
import type { DiagnosticCode, HolesOf } from '../diagnostics/registry.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import type { PolicyDocument } from '../source/document.ts';

/** Reports a fault of the object at hand; `path` starts at its root, and leads to the value or to its key. */
export type Report = <C extends DiagnosticCode>(
  code: C,
  path: JsonPath,
  holes: HolesOf<C>,
  extras?: ReportExtras & { readonly part?: 'key' | 'value' },
) => void;

/** Something that objects of one kind must keep beyond their schema. Rules run only on objects whose schema holds. */
export type Rule<O> = (object: O, report: Report) => void;

/** Diagnostics of one document: nobody reads more, and each costs a search for its place. */
export const mostFaults = 100;

/** A reporter for one document; it falls silent after `mostFaults`. */
export function reporter(document: PolicyDocument, bag: DiagnosticBag): Report {
  let count = 0;
  return (code, path, holes, extras = {}) => {
    count += 1;
    if (count <= mostFaults) bag.report(code, document.spanOf(path, extras.part), holes, extras);
  };
}
