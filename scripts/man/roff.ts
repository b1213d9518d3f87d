/** Stands for a place where a word may be broken, which is in no text. */
const breakPoint = '\0';

/** Text as roff shows it, letter by letter; a line never begins a request. Long words may be broken before "[" and behind ",". */
export function escapeRoff(text: string): string {
  return text
    .replaceAll(/\S{40,}/g, (word) => word.replaceAll(/(?<=\S)(?=\[)|(?<=,)(?=\S)/g, breakPoint))
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replaceAll('`', '\\(ga')
    .replaceAll("'", '\\(aq')
    .replaceAll('"', '\\(dq')
    .replaceAll(
      /[^\0-\x7f]/gu,
      (letter) => `\\[u${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replaceAll(/^\./gm, '\\&.')
    .replaceAll(breakPoint, '\\:');
}

export function bold(text: string): string {
  return `\\fB${escapeRoff(text)}\\fR`;
}

/** Lines that stay as they are. */
export function verbatim(text: string): string {
  return `.PP\n.RS 4\n.nf\n${escapeRoff(text)}\n.fi\n.RE\n`;
}

/** A term, and below it what it means; both are roff already. */
export function definition(term: string, meaning: string): string {
  return `.TP\n${term}\n${meaning}\n`;
}
