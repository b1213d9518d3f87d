import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { isBlankText } from './blank.ts';
import type { SourceFile } from './document.ts';

const hintOfPipe = 'check the command before the pipe: it printed no object, and may have failed';

/** Reports inputs without a document: an error where none has one, else a warning for each. */
export function reportEmpty(files: readonly SourceFile[], bag: DiagnosticBag): void {
  const empty = files.filter(({ text }) => isBlankText(text));
  // An empty pipe is a command that failed, not a wish for an empty mesh.
  if (empty.some(({ path }) => path === '-'))
    bag.report('empty-input', undefined, { what: 'standard input', thing: 'object' }, { hint: hintOfPipe });
  if (!bag.hasErrors && empty.length === files.length)
    bag.report('empty-input', undefined, { what: 'the input', thing: 'object' });
  for (const { path } of empty) if (path !== '-') bag.report('empty-file', { file: path, start: 0, end: 0 }, {});
}
