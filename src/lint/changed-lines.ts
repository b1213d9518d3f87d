/** Lines, counted from 1, that a change added, altered, or stands beside where it removed some. */
export interface ChangedLines {
  readonly ranges: readonly { readonly first: number; readonly last: number }[];
}

/** Reads what `git diff --unified=0` prints: changed lines by path, as it is after the change. */
export function parseDiff(text: string): ReadonlyMap<string, ChangedLines> {
  const files = new Map<string, { first: number; last: number }[]>();
  let ranges: { first: number; last: number }[] = [];
  let isHeader = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('diff --git ')) isHeader = true;
    if (isHeader && line.startsWith('+++ ')) {
      ranges = [];
      const path = unquote(line.slice('+++ '.length).replace(/\t$/, ''));
      if (path.startsWith('b/')) files.set(path.slice('b/'.length), ranges);
    }
    const [hunk, from = '', count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (hunk === undefined) continue;
    isHeader = false;
    const first = Number(from);
    // Lines that were only removed stood between two that are left.
    ranges.push(count === '0' ? { first, last: first + 1 } : { first, last: first + Number(count) - 1 });
  }
  return new Map([...files].map(([path, own]) => [path, { ranges: own }]));
}

/** Git puts names with quotes, backslashes or control characters into quotes, as in C. */
function unquote(name: string): string {
  if (!name.startsWith('"')) return name;
  const simple: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
  const bytes = [...name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)].flatMap(
    ([, octal, escaped, plain]) => {
      if (octal !== undefined) return [Number.parseInt(octal, 8)];
      return [...new TextEncoder().encode(escaped === undefined ? plain : (simple[escaped] ?? escaped))];
    },
  );
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** Whether a change is in the YAML document of a file that holds a line. */
export function touchesDocument({ ranges }: ChangedLines, text: string, line: number): boolean {
  const lines = text.split('\n');
  const isBorder = (index: number): boolean => /^---(?:\s|$)/.test(lines[index] ?? '');
  let first = line;
  while (first > 1 && !isBorder(first - 1)) first--;
  let last = line;
  while (last < lines.length && !isBorder(last)) last++;
  return ranges.some((range) => range.first <= last && range.last >= first);
}
