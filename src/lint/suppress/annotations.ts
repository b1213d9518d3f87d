import { lintAnnotation } from '../../policy/lint-annotation.ts';
import type { MeshObject } from '../../policy/object.ts';
import { objectKey, type PlacedSuppression } from './suppressed-place.ts';
import { parseSuppression } from './suppression.ts';

/** What annotations ask for: `CODE: reason`, several apart by semicolons or line ends, for findings of their object. */
export function annotationSuppressions(
  objects: readonly MeshObject<string>[],
  own: ReadonlySet<string>,
): readonly PlacedSuppression[] {
  return objects.flatMap((object) => {
    const text = object.annotations[lintAnnotation];
    return text === undefined ? [] : ofObject(object, text, own);
  });
}

function ofObject(object: MeshObject<string>, text: string, own: ReadonlySet<string>): readonly PlacedSuppression[] {
  const asked = text.split(/[;\n]/).filter((part) => part.trim() !== '');
  const span = object.document.spanOf(['metadata', 'annotations', lintAnnotation]);
  return asked.map((part) => ({ suppression: parseSuppression(part, own), span, target: objectKey(object) }));
}
