import type { NumberWithoutRule } from './entry.ts';

/** Texts, kinds and names of objects. */
export const objectNumbers: readonly NumberWithoutRule[] = [
  { id: 'MP001', title: 'a file that is not YAML', saidBy: ['yaml-syntax', 'tab-indentation', 'duplicate-key'] },
  { id: 'MP002', title: 'an unknown field', saidBy: ['unknown-field'], peers: ['IST0106', 'IST0133'] },
  {
    ...{ id: 'MP003', title: 'a value of the wrong type, out of range, or missing', peers: ['IST0106'] },
    saidBy: ['wrong-type', 'unknown-enum-value', 'value-out-of-range', 'missing-field'],
  },
  {
    ...{ id: 'MP004', title: 'an unknown kind, group or version' },
    saidBy: ['unknown-kind', 'unknown-api-group', 'unsupported-version', 'unsupported-kind-of-group'],
  },
  { id: 'MP005', title: 'two objects with the same kind, namespace and name', saidBy: ['duplicate-object'] },
  { id: 'MP006', title: 'a policy without a namespace', saidBy: ['policy-without-namespace'] },
  {
    ...{ id: 'MP007', title: 'a deprecated API version', peers: ['IST0002'] },
    leftOut: 'all API versions that are read mean the same, and none is deprecated',
  },
  { id: 'MP009', title: 'a label whose value is not a string', saidBy: ['wrong-type'] },
  { id: 'MP008', title: 'a YAML merge key (<<)', saidBy: ['merge-key'] },
  {
    id: 'MP010',
    title: 'a document that expands to an excessive size',
    saidBy: ['alias-expansion', 'file-too-large', 'document-too-complex'],
  },
  {
    ...{ id: 'MP011', title: 'an annotation that nothing reads', peers: ['IST0107', 'IST0108', 'IST0125'] },
    saidBy: ['unread-annotation'],
  },
  { id: 'MP012', title: 'a known field that is not supported', saidBy: ['unsupported-field'] },
  {
    id: 'MP901',
    title: 'a name that does not describe the object',
    leftOut: 'names are a matter of style',
  },
];
