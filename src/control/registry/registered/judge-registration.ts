import { createObjectReader } from '../../../compiler/read-objects.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { format } from '../../../diagnostics/format.ts';
import type { SourceFile } from '../../../source/document.ts';

/** Services and where they are: nothing that decides who gets access. */
const registered: ReadonlySet<string> = new Set([
  'Endpoints',
  'EndpointSlice',
  'Pod',
  'Service',
  'ServiceEntry',
  'WorkloadEntry',
]);

/** The kinds of the objects that a program registers, once for each object; or why none of them is taken. */
export function judgeRegistration(file: SourceFile): { readonly kinds: readonly string[]; readonly problem?: string } {
  const bag = new DiagnosticBag();
  const kinds = createObjectReader()([file], bag).map(({ kind }) => kind);
  if (bag.hasErrors) {
    const errors = bag.all.filter(({ severity }) => severity === 'error');
    return { kinds: [], problem: format(errors, [file], 'text').trimEnd() };
  }
  const others = [...new Set(kinds.filter((kind) => !registered.has(kind)))].sort();
  const expected = [...registered].join(', ');
  if (others.length > 0)
    return { kinds: [], problem: `${others.join(', ')} cannot be registered, expected ${expected}` };
  return kinds.length > 0 ? { kinds } : { kinds, problem: `there is no object in it, expected ${expected}` };
}
