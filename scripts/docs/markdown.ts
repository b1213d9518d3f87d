/** A Markdown table; vertical bars in cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** `text` as code; a dash for nothing. */
export function code(text: string): string {
  return text === '' ? '–' : `\`${text}\``;
}

/** A block of code, which contains no other block. */
export function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

const longestLine = 400;

/** The text with very long lines cut; "…" stands for their rest. */
export function withShortLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.length > longestLine ? `${line.slice(0, 120)} …` : line))
    .join('\n');
}

const mostLines = 80;

/** The text with most lines of a list without end left out. */
export function withFewLines(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= mostLines) return text;
  return [
    ...lines.slice(0, 15),
    `# … and so on: ${lines.length - 17} lines are left out here`,
    ...lines.slice(-2),
  ].join('\n');
}
