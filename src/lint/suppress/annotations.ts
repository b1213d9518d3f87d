import { lintAnnotation } from '../../policy/lint-annotation.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { PlacedSuppression } from './comments.ts';
import { parseSuppression } from './suppression.ts';

/** What annotations ask for: `CODE: reason`, several apart by semicolons or line ends, for findings of their object. */
export function annotationSuppressions(objects: readonly MeshObject<string>[]): readonly PlacedSuppression[] {
  return objects.flatMap((object) => {
    const text = object.annotations[lintAnnotation];
    return text === undefined ? [] : ofObject(object, text);
  });
}

function ofObject({ kind, namespace, name, document }: MeshObject<string>, text: string): readonly PlacedSuppression[] {
  const asked = text.split(/[;\n]/).filter((part) => part.trim() !== '');
  return asked.map((part) => ({
    suppression: parseSuppression(part),
    get span() {
      return document.spanOf(['metadata', 'annotations', lintAnnotation]);
    },
    concerns: ({ subject }) => subject?.kind === kind && subject.namespace === namespace && subject.name === name,
  }));
}
