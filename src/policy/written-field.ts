import type { PolicyDocument } from '../source/document.ts';
import type { MeshObject, WrittenField } from './object.ts';

type Field = Parameters<PolicyDocument['spanOf']>[0];

/** The object of the input, and its field, that says what stands at a path of an object, which others may have been made into. */
export function writtenField(object: MeshObject<string>, field: Field): WrittenField {
  return object.writtenAs?.(field) ?? { object, field };
}

/** The document of an object that is made of others: each path stands where theirs says it. */
export function madeDocument(
  base: MeshObject<string>,
  value: PolicyDocument['value'],
  writtenAs: (field: Field) => WrittenField,
): PolicyDocument {
  const { file, start } = base.document;
  return {
    ...{ file, start, value },
    spanOf: (path, part) => {
      const { object, field } = writtenAs(path);
      return object.document.spanOf(field, part);
    },
  };
}
