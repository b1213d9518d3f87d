import { existsSync, readFileSync } from 'node:fs';
import { emptied, type TestReference } from './test-reference.ts';

/** `file: groups > name`: a name alone often has no subject, which is in the titles of the `describe` blocks around it. */
export function testTitle({ path, name, row }: TestReference): string {
  const shown = row === undefined ? name : name.replace(/%[a-z]|\$[a-z]+/, () => row);
  return `${path}: ${[...groupsOf(path, name), shown].join(' > ')}`;
}

/** Titles of the blocks around a test, outermost first, by the indentation that the formatter gives. */
function groupsOf(path: string, name: string): readonly string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex((line) =>
    ["'", '"', '`'].some((quote) => emptied(line).includes(emptied(`${quote}${name}${quote},`))),
  );
  const groups: string[] = [];
  let indent = at < 0 ? 0 : indentOf(lines[at] ?? '');
  for (let i = at - 1; i >= 0 && indent > 0; i -= 1) {
    const line = lines[i] ?? '';
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    const title = groupTitle(line, lines[i + 1] ?? '');
    if (title !== undefined) groups.unshift(title);
  }
  return groups;
}

/** `describe('a'`, `describeMesh('a'`, `])('a'` after the rows of a table, or a title on the next line. */
function groupTitle(line: string, next: string): string | undefined {
  if (!/^\s*(describe|\]\s*(as const)?\)\()/.test(line)) return undefined;
  const text = line.trimEnd().endsWith('(') ? next : line.slice(line.lastIndexOf(')(') + 1);
  return /(['"`])(.*?)\1,/.exec(text)?.[2];
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
