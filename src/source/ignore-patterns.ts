/** Patterns of one list that say which files are left out, in the language of `.gitignore` (gitignore(5)). */
export interface IgnorePattern {
  /** As written. */
  readonly text: string;
  /** Takes back what an earlier pattern left out. */
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  readonly segments: readonly Segment[];
}

type Segment = typeof any | readonly Token[];
type Token = typeof any | ((character: string) => boolean);

/** Stands for any number of segments, or of characters. */
const any = Symbol('any');
const oneName: Segment = [any];

/** The patterns of a text, one a line; blank lines and lines that begin with `#` say nothing. */
export function parseIgnorePatterns(text: string): IgnorePattern[] {
  return text.split(/\r?\n/).flatMap((line) => parseIgnorePattern(line) ?? []);
}

/** One pattern; undefined for a line that says nothing. */
export function parseIgnorePattern(line: string): IgnorePattern | undefined {
  if (line.startsWith('#')) return undefined;
  const text = withoutBlanksAtEnd(line);
  const isNegated = text.startsWith('!');
  const isForFolders = text.endsWith('/');
  const path = withoutLast(text.slice(isNegated ? 1 : 0), '/');
  if (path.trim() === '') return undefined;
  const isAnchored = path.includes('/');
  const names = path.replace(/^\//, '').split('/');
  const segments = names.map((name): Segment => (name === '**' ? any : tokensOf(name)));
  if (!isAnchored) segments.unshift(any);
  // What ends with `**` is all that is inside, and not the folder itself.
  if (segments.at(-1) === any) segments.push(oneName);
  return { text: line, isNegated, isForFolders, segments };
}

/** White space at the end counts only after a backslash, and a backslash only where none stands before it. */
function withoutBlanksAtEnd(line: string): string {
  const kept = line.trimEnd();
  const backslashes = kept.length - withoutLast(kept, '\\').length;
  return backslashes % 2 === 1 ? line.slice(0, kept.length + 1) : kept;
}

/** Not by an expression, which looks through each run of the character again from each of its places. */
function withoutLast(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** The pattern that decides about a path, which is relative to the folder of the list: the last one that fits. */
export function decidingPattern(
  patterns: readonly IgnorePattern[],
  path: string,
  isFolder: boolean,
): IgnorePattern | undefined {
  const names = path.split('/');
  return patterns.findLast(
    ({ segments, isForFolders }) => (isFolder || !isForFolders) && fits(segments, names, fitsName),
  );
}

function fitsName(segment: Exclude<Segment, typeof any>, name: string): boolean {
  return fits(segment, [...name], (token, character) => token(character));
}

/**
 * Whether items fit a pattern in which `any` stands for any number of them. It goes back to the last `any` only, so that
 * its time is at most the product of both lengths, whatever the pattern.
 */
function fits<T, U>(
  pattern: readonly (T | typeof any)[],
  items: readonly U[],
  fitsOne: (token: Exclude<T, typeof any>, item: U) => boolean,
): boolean {
  let at = 0;
  let item = 0;
  let lastAny = -1;
  let retryAt = 0;
  while (item < items.length) {
    const token = pattern[at];
    if (token === any) {
      lastAny = at++;
      retryAt = item;
    } else if (at < pattern.length && fitsOne(token as Exclude<T, typeof any>, items[item] as U)) {
      at++;
      item++;
    } else if (lastAny >= 0) {
      at = lastAny + 1;
      item = ++retryAt;
    } else return false;
  }
  return pattern.slice(at).every((token) => token === any);
}

function tokensOf(name: string): Token[] {
  const characters = [...name];
  const tokens: Token[] = [];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] as string;
    const end = character === '[' ? classEnd(characters, i) : -1;
    if (character === '*') tokens.push(any);
    else if (character === '?') tokens.push(() => true);
    else if (character === '[' && end < 0) {
      // A class that nothing closes fits nothing.
      tokens.push(() => false);
    } else if (end > 0) {
      tokens.push(classOf(characters.slice(i + 1, end)));
      i = end;
    } else {
      const literal = character === '\\' ? (characters[++i] ?? '\\') : character;
      tokens.push((other) => other === literal);
    }
  }
  return tokens;
}

/** Of the bracket that closes a class; the first character of a class may be a bracket itself. -1 when none closes it. */
function classEnd(characters: readonly string[], start: number): number {
  const first = /[!^]/.test(characters[start + 1] ?? '') ? start + 2 : start + 1;
  return characters.indexOf(']', first + 1);
}

function classOf(characters: readonly string[]): Token {
  const isNegated = characters[0] === '!' || characters[0] === '^';
  const members = characters.slice(isNegated ? 1 : 0);
  const isMember = (character: string): boolean =>
    members.some((member, i) => {
      if (members[i + 1] === '-' && members[i + 2] !== undefined)
        return member <= character && character <= (members[i + 2] as string);
      return member === character;
    });
  return (character) => isMember(character) !== isNegated;
}
