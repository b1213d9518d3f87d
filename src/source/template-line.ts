/** What is said of a line that YAML has no meaning for because a program has yet to fill it in. */
export const isTemplate =
  'this is a template, such as one of Helm: render it with "helm template" first, or list the file in .meshpolignore';

/** So much of a line is looked at. */
const maxLine = 500;

/** Whether the line of `offset` holds the marks of a template. */
export function isTemplateLine(text: string, offset: number): boolean {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[^\r\n]*?\{\{/.test(text.slice(start, start + maxLine));
}
