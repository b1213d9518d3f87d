import { bold, definition, escapeRoff, verbatim } from './roff.ts';

/** A section of a page of `docs/`, in roff: paragraphs, headings, lists, tables and code; links keep their text alone. */
export function fromMarkdown(text: string): string {
  const lines = text.replaceAll(/<!--[\s\S]*?-->\n?/g, '').split('\n');
  let made = '';
  while (lines.length > 0) {
    const [first = ''] = lines;
    const shape = shapes.find(({ begins }) => begins.test(first));
    if (shape === undefined) throw new Error(`no shape of Markdown begins so: ${first}`);
    made += shape.make(lines);
  }
  return made;
}

/** What begins with such a line; `make` takes its lines. */
interface Shape {
  readonly begins: RegExp;
  readonly make: (lines: string[]) => string;
}

const shapes: readonly Shape[] = [
  { begins: /^\s*$/, make: (lines) => takeFirst(lines, () => '') },
  { begins: /^#{3,} /, make: (lines) => takeFirst(lines, (line) => `.SS ${inline(line.replace(/^#+ /, ''))}\n`) },
  { begins: /^```/, make: fence },
  { begins: /^\|/, make: table },
  { begins: /^(?:-|\d+\.) /, make: item },
  { begins: /./, make: (lines) => `.PP\n${inline(takeWhile(lines, (line) => isText(line)))}\n` },
];

function takeFirst(lines: string[], make: (line: string) => string): string {
  return make(lines.shift() ?? '');
}

/** The first line, and those behind it that go with it. */
function takeWhile(lines: string[], goesOn: (line: string) => boolean): string {
  const taken = [lines.shift() ?? ''];
  while (lines[0] !== undefined && goesOn(lines[0])) taken.push(lines.shift() ?? '');
  return taken.join('\n');
}

function isText(line: string): boolean {
  return !/^(?:\s*$|#{3,} |```|\||(?:-|\d+\.) )/.test(line);
}

function fence(lines: string[]): string {
  const [, ...code] = takeWhile(lines, (line) => !line.startsWith('```')).split('\n');
  lines.shift();
  return verbatim(code.join('\n'));
}

/** An entry of a list; what is indented below it belongs to it. */
function item(lines: string[]): string {
  const text = takeWhile(lines, (line) => /^ {2,}\S/.test(line));
  const [mark = '', ...words] = text.split(' ');
  const [label, width] = mark === '-' ? ['\\(bu', 2] : [escapeRoff(mark), 4];
  const rest = words.join(' ').replaceAll(/\n +/g, '\n');
  return `.IP ${label} ${width}\n${inline(rest)}\n`;
}

/** Rows as definitions of their first cell; with more than two columns the others have their head before them. */
function table(lines: string[]): string {
  const [head = [], , ...rows] = takeWhile(lines, (line) => line.startsWith('|'))
    .split('\n')
    .map(cellsOf);
  return rows
    .map(([first = '', ...others]) => {
      const meanings = others.map((cell, i) =>
        others.length === 1 ? inline(cell) : `${inline(head[i + 1] ?? '')}: ${inline(cell)}`,
      );
      return definition(inline(first), meanings.join('\n.br\n'));
    })
    .join('');
}

function cellsOf(row: string): string[] {
  const cells = row
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const parts =
  /(?<ticks>`+) ?(?<code>.+?) ?\k<ticks>|\*\*(?<strong>[^*]+)\*\*|\*(?<stressed>[^*\s][^*]*)\*|!?\[(?<link>(?:[^\][]|\[[^\]]*\])*)\]\([^)]*\)/gs;

/** Text within a paragraph: code and what is strong is bold, what is stressed in italics. */
export function inline(text: string): string {
  const made = Array.from(text.matchAll(parts), ({ index, 0: whole, groups = {} }) => ({
    ...{ index, end: index + whole.length },
    text: marked(groups),
  }));
  const ends = [0, ...made.map(({ end }) => end)];
  const between = [...made.map(({ index }) => index), text.length].map((index, i) =>
    escapeRoff(text.slice(ends[i], index)),
  );
  return between.map((plain, i) => plain + (made[i]?.text ?? '')).join('');
}

function marked({ code, strong, stressed, link }: Readonly<Record<string, string | undefined>>): string {
  if (link !== undefined) return inline(link);
  if (stressed !== undefined) return `\\fI${escapeRoff(stressed)}\\fR`;
  return bold(code?.replaceAll('\n', ' ') ?? strong ?? '');
}
