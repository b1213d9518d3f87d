import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonObject, PolicyDocument } from './document.ts';

/**
 * True for what other programs keep in folders of YAML (charts, workflows, values) and no object of a mesh can be: a
 * mapping without kind, metadata and spec whose apiVersion, if it has one, names no group.
 */
export function isNoObject(value: JsonObject): boolean {
  const isBare = !['kind', 'metadata', 'spec'].some((field) => Object.hasOwn(value, field));
  return isBare && !String(value.apiVersion ?? '').includes('/');
}

/** Whether a document says which kind of object it is; where it does not, an error says so. */
export function hasHead(document: PolicyDocument, bag: DiagnosticBag): boolean {
  return isText(document, 'apiVersion', bag) && isText(document, 'kind', bag);
}

const hintOfHead = 'write "apiVersion" and "kind" into each object, also into each item of a list';

function isText(document: PolicyDocument, field: 'apiVersion' | 'kind', bag: DiagnosticBag): boolean {
  const value = document.value[field];
  if (typeof value === 'string' && value !== '') return true;
  if (value === undefined)
    bag.report('missing-field', document.start, { field, where: 'the object' }, { hint: hintOfHead });
  else if (value === '') bag.report('empty-value', document.spanOf([field]), { field });
  else {
    const found = value === null ? 'empty' : `a ${typeof value}`;
    bag.report('wrong-type', document.spanOf([field]), { field, found, expected: 'a string' });
  }
  return false;
}
