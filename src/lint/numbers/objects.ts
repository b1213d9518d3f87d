import type { NumberWithoutRule } from './entry.ts';

/** Texts, kinds and names of objects. */
export const objectNumbers: readonly NumberWithoutRule[] = [
  { id: 'MP001', title: 'a text that is no YAML', saidBy: ['yaml-syntax', 'tab-indentation', 'duplicate-key'] },
  { id: 'MP002', title: 'an unknown field', saidBy: ['unknown-field'], peers: ['IST0106', 'IST0133'] },
  {
    ...{ id: 'MP003', title: 'a value of another type or none of the list', peers: ['IST0106'] },
    saidBy: ['wrong-type', 'unknown-enum-value', 'value-out-of-range', 'missing-field'],
  },
  {
    ...{ id: 'MP004', title: 'an unknown kind, group or version' },
    saidBy: ['unknown-kind', 'unknown-api-group', 'unsupported-version', 'unsupported-kind-of-group'],
  },
  { id: 'MP005', title: 'two objects of one kind, namespace and name', saidBy: ['duplicate-object'] },
  { id: 'MP006', title: 'a policy without a namespace', saidBy: ['policy-without-namespace'] },
  {
    ...{ id: 'MP007', title: 'a version of an API that is going', peers: ['IST0002'] },
    leftOut: 'every version that is read means the same, and none is going',
  },
  { id: 'MP009', title: 'a label whose value is no text', saidBy: ['wrong-type'] },
  { id: 'MP008', title: 'a merge key that brings fields from elsewhere', saidBy: ['merge-key'] },
  {
    id: 'MP010',
    title: 'a document that expands without end',
    saidBy: ['alias-expansion', 'file-too-large', 'document-too-complex'],
  },
  {
    ...{ id: 'MP011', title: 'an annotation that nothing reads', peers: ['IST0107', 'IST0108', 'IST0125'] },
    saidBy: ['unread-annotation'],
  },
  { id: 'MP012', title: 'a field that is understood and not supported', saidBy: ['unsupported-field'] },
  {
    id: 'MP901',
    title: 'a name that says nothing of the object',
    leftOut: 'what a good name is, is a matter of style',
  },
];
