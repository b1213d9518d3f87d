/** A text as a cell of a table of Markdown; parts of it may be a caller's, and make no links, tags and mentions. */
export function escapeCell(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(/[|<[\]`*_~!&]/g, '\\$&')
    .replaceAll('@', '@\u2060')
    .replaceAll(/[\r\n]+/g, ' ');
}
