import type { SourceSpan } from '../diagnostics/span.ts';
import type { TextEdit } from './finding.ts';

/**
 * Writes a text, in which nothing needs an escape, in the place of a scalar: within the quotes of the scalar, or as `plain`
 * when it has none.
 */
export function scalarEdit(span: SourceSpan, value: string, text: string, plain = text): TextEdit {
  const isQuoted = span.end - span.start === value.length + 2;
  return isQuoted ? { span: { ...span, start: span.start + 1, end: span.end - 1 }, text } : { span, text: plain };
}
