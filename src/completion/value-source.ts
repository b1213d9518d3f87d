import { type Argument, type Command, Option } from 'commander';

/** One word that may stand where the cursor is. */
export interface Candidate {
  readonly word: string;
  /** One line; empty text for none. */
  readonly description: string;
}

/** What may stand for a value: words, or a path, which the shell itself completes. */
export interface Offer {
  readonly words?: readonly Candidate[];
  readonly paths?: 'files' | 'folders';
  /** So many characters of what is typed stand before the path. */
  readonly pathStart?: number;
}

/** What a value is asked for with. */
export interface ValueRequest {
  /** The value up to the cursor. */
  readonly typed: string;
  /** Paths of inputs that the command line names. */
  readonly inputs: readonly string[];
}

/** Gives the values of an option or argument. */
export type ValueSource = (request: ValueRequest) => Offer | Promise<Offer>;

/** Sources by the long flag or the name of the argument, of one command where it stands before: `lint --output`. */
export type ValueTable = Readonly<Record<string, ValueSource>>;

/** Words without a description. */
export function plainWords(words: Iterable<string>): Offer {
  return { words: Array.from(words, (word) => ({ word, description: '' })) };
}

/** A source of words that are always the same. */
export function always(...words: readonly string[]): ValueSource {
  return () => plainWords(words);
}

/** A file behind the last `=`; before it, what the other source says. */
export function fileAfterEquals(before: ValueSource): ValueSource {
  return (request) => {
    const cut = request.typed.lastIndexOf('=');
    return cut === -1 ? before(request) : { paths: 'files', pathStart: cut + 1 };
  };
}

/** The source of a value: the table's, else the choices that the parser knows, else a path where the help names one. */
export function sourceOf(command: Command, value: Option | Argument, table: ValueTable): ValueSource {
  const name = value instanceof Option ? (value.long ?? '') : value.name();
  const found = table[`${command.name()} ${name}`] ?? table[name];
  if (found !== undefined) return found;
  const choices = value.argChoices ?? choicesOf(value.parseArg);
  if (choices !== undefined) return always(...choices);
  const paths = pathsOf(value instanceof Option ? value.flags : `<${name}>`);
  return () => (paths === undefined ? {} : { paths });
}

/** Of a parser that `choiceOf` made. */
function choicesOf(parser: unknown): readonly string[] | undefined {
  return typeof parser === 'function' && 'choices' in parser ? (parser.choices as readonly string[]) : undefined;
}

/** What the value is called in the help says what it is. */
function pathsOf(flags: string): Offer['paths'] {
  if (/<(?:dir|folder)>/.test(flags)) return 'folders';
  return /<(?:file|path|PATHS)(?:\.\.\.)?>/.test(flags) ? 'files' : undefined;
}
