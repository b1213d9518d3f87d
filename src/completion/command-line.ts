import type { Argument, Command, Option } from 'commander';

/** Where the cursor stands in a command line. */
export interface CursorPlace {
  /** The command that the words before name; the program itself without one. */
  readonly command: Command;
  /** What the word is a value of; undefined where nothing is expected. */
  readonly value: Option | Argument | undefined;
  /** Behind a `--` there are no options. */
  readonly takesOptions: boolean;
  /** Of the word the part before the value: `--rule=`. */
  readonly prefix: string;
  /** Values that were given before, by the long flag or the name of the argument. */
  readonly given: ReadonlyMap<string, readonly string[]>;
}

/** The command line as the parser would read it: the words before the cursor, and the one that ends there. */
export function placeOf(program: Command, before: readonly string[], word: string): CursorPlace {
  const line = new Line(program);
  for (const each of before) line.read(each);
  return line.at(word);
}

class Line {
  private command: Command;
  private readonly given = new Map<string, string[]>();
  /** An option that needs a value, or may have another one. */
  private open: { readonly option: Option; readonly isDue: boolean } | undefined;
  private arguments = 0;
  private isBehindDashes = false;

  constructor(program: Command) {
    this.command = program;
  }

  read(word: string): void {
    const option = this.valueOf(word);
    this.open = undefined;
    if (option !== undefined) this.readValue(option, word);
    else if (this.isBehindDashes || !isFlag(word)) this.readOperand(word);
    else if (word === '--') this.isBehindDashes = true;
    else this.readFlag(word);
  }

  at(word: string): CursorPlace {
    const { command, given } = this;
    const place = { command, given, takesOptions: false, prefix: '' };
    const value = this.valueOf(word);
    if (value !== undefined) return { ...place, value };
    if (this.isBehindDashes || !isFlag(word)) {
      return { ...place, value: this.argument(), takesOptions: ['', '-'].includes(word) && !this.isBehindDashes };
    }
    const [, flag] = /^(--[^=]+)=/.exec(word) ?? [];
    const option = flag === undefined ? undefined : this.option(flag);
    if (option === undefined) return { ...place, value: undefined, takesOptions: flag === undefined };
    return { ...place, value: takesValue(option) ? option : undefined, prefix: `${flag}=` };
  }

  /** The option before, where the word is its value. */
  private valueOf(word: string): Option | undefined {
    return this.open?.isDue || !isFlag(word) ? this.open?.option : undefined;
  }

  private readValue(option: Option, word: string): void {
    this.keep(option.long ?? option.flags, word);
    this.open = option.variadic ? { option, isDue: false } : undefined;
  }

  private readOperand(word: string): void {
    const found = this.arguments === 0 ? this.command.commands.find((it) => it.name() === word) : undefined;
    if (found !== undefined) {
      this.command = found;
      return;
    }
    this.keep(this.argument()?.name() ?? '', word);
    this.arguments++;
  }

  private readFlag(word: string): void {
    const [, long, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const option = this.option(long ?? word) ?? this.option(word.slice(0, 2));
    if (option === undefined) return;
    const attached = long === undefined && option.short === word.slice(0, 2) ? word.slice(2) : '';
    if (!takesValue(option)) this.keep(option.long ?? option.flags, '');
    else if (value !== undefined || attached !== '') this.readValue(option, value ?? attached);
    else this.open = { option, isDue: true };
  }

  /** One of the command's own, or of the program's, which may stand before and behind the command. */
  private option(flag: string): Option | undefined {
    for (let at: Command | null = this.command; at !== null; at = at.parent) {
      const found = at.options.find(({ long, short }) => long === flag || short === flag);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private argument(): Argument | undefined {
    const known = this.command.registeredArguments;
    return known[this.arguments] ?? (known.at(-1)?.variadic ? known.at(-1) : undefined);
  }

  private keep(name: string, value: string): void {
    this.given.set(name, [...(this.given.get(name) ?? []), value]);
  }
}

/** `-` alone is standard input. */
function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}
