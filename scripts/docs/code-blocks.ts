/** A fenced block of a page: its language, its text, and the line of the page on which it begins. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** The fenced blocks of a page, in their order. */
export function codeBlocks(page: string): readonly CodeBlock[] {
  return Array.from(page.matchAll(/^```(\S*).*\n([\s\S]*?)^```$/gm), ({ index, 1: language = '', 2: text = '' }) => ({
    language,
    text,
    line: page.slice(0, index).split('\n').length,
  }));
}

/** A comment, an end of a command, or a word, of which parts may be in quotes. */
const token = /(?<=^|\s)#.*$|[\n|;&]+|(?:'[^']*'|"[^"]*"|[^\s|;&'"])+/gm;

/**
 * The commands of a shell script that begin with one of `programs`, as words; assignments before a command, redirections
 * and comments are left out. Knows quotes and continued lines; that is all that the pages use.
 */
export function commandLines(script: string, programs: readonly string[]): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [text] of script.replaceAll('\\\n', ' ').matchAll(token)) {
    if (/^[\n|;&]/.test(text)) commands.push([]);
    else if (!text.startsWith('#')) commands.at(-1)?.push(text);
  }
  return commands.flatMap((words) => {
    const first = words.findIndex((word) => !/^\w+=/.test(word));
    const end = words.findIndex((word) => /^\d?[<>]/.test(word));
    const command = words.slice(Math.max(first, 0), end === -1 ? undefined : end);
    return programs.includes(command[0] ?? '') ? [command.map((word) => word.replace(/['"]/g, ''))] : [];
  });
}
