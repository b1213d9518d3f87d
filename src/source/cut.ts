/** Where one YAML document stands in its file, `---` line and directives included; offsets into the file's text. */
export interface DocumentRange {
  readonly start: number;
  readonly end: number;
}

const marker = /^\uFEFF?(?:---|\.\.\.)(?=[ \t\r\n]|(?![\s\S]))/gm;

/**
 * The documents of a YAML stream. A line that begins with `---` or `...` and white space ends a document wherever it
 * stands, in scalars too (YAML 1.2.2 section 9.1.2), so no parser is needed. Documents without content are left out.
 */
export function cutDocuments(text: string): DocumentRange[] {
  const ranges: DocumentRange[] = [];
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let isFresh = true;
  const close = (end: number): void => {
    if (!isBlank(text, start, end)) ranges.push({ start, end });
  };
  for (const { index, 0: matched } of text.matchAll(marker)) {
    const end = index + matched.length;
    const at = end - 3;
    if (matched.endsWith('-')) {
      const isDirectives = isFresh && holdsOnlyDirectives(text, start, at);
      isFresh = false;
      if (isDirectives) continue;
      close(at);
      start = at;
    } else {
      close(at);
      start = end;
      isFresh = true;
    }
  }
  close(text.length);
  return ranges;
}

/** `%YAML` and `%TAG` lines in front of a `---` belong to the document that follows. */
function holdsOnlyDirectives(text: string, start: number, end: number): boolean {
  let hasDirective = false;
  for (let at = start; at < end; ) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? end : newline + 1;
    if (text[at] === '%') hasDirective = true;
    else if (!isBlank(text, at, next)) return false;
    at = next;
  }
  return hasDirective;
}

/** A document of white space and comments is an accident of concatenation, not an object. */
function isBlank(text: string, start: number, end: number): boolean {
  for (let i = text.startsWith('---', start) ? start + 3 : start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x23) {
      const newline = text.indexOf('\n', i);
      if (newline === -1 || newline >= end) return true;
      i = newline;
    } else if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
  return true;
}

/** The text with spaces instead of these documents, so that lines and offsets of the rest stay. */
export function blanked(text: string, ranges: readonly DocumentRange[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, start), text.slice(start, end).replaceAll(/[^\n]/g, ' '));
    at = end;
  }
  return [...pieces, text.slice(at)].join('');
}
