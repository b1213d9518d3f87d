/** Whether a path has signs that regular expressions are made of, and paths hardly ever have. */
export function isExpression(path: string): boolean {
  return /^\^|.\$$|\/\.[*+]|\\[.dw]|\[[^\]]*-[^\]]*\]|\(.*\|.*\)/.test(path);
}

/** Whether a star stands at both ends, or neither at an end nor in a template: there it is an ordinary character. */
export function hasInnerStar(path: string): boolean {
  if (/^\*.*\*$/.test(path)) return true;
  return path
    .replaceAll(/\{\*\*?\}/g, '')
    .slice(1, -1)
    .includes('*');
}
