import { doubleQuoted, isWord, isWrittenAs, plainInBlock, plainInFlow, singleQuoted } from './scalar-forms.ts';

const key = /[\w/][\w./*-]*/y;
const literalHead = /\|-?(?=\n)/y;
const endOfLine = / *(?:(?<= )#[^\n]*)?(?:\n|$)/y;

/**
 * Whether `text`, read in step with `value`, can mean nothing else: a second reading of YAML as people and kubectl write
 * it (block collections; scalars, quotes and flow collections on one line; literal blocks; comments). False says only
 * that the text has another form or another value. Costs a small part of what a position tree costs, and no memory.
 */
export function isSameReading(text: string, value: unknown): boolean {
  const lines = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  if (typeof value !== 'object' || value === null || /[\t\r]/.test(lines)) return false;
  return new Reading(lines).isDocument(value);
}

type Members = Readonly<Record<string, unknown>>;

/** One pass over a text. Every method gives false to give up, and leaves the place anywhere then. */
class Reading {
  readonly #text: string;
  /** Of the next character to read; between values that of the first on its line that is no space. */
  #at = 0;
  #column = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isDocument(value: object): boolean {
    this.#nextLine();
    if (this.#text.startsWith('---\n', this.#at) && this.#column === 0) {
      this.#at += 4;
      this.#nextLine();
    }
    return this.#isCollection(value) && this.#at === this.#text.length;
  }

  /** A block collection, or one in flow style on one line. */
  #isCollection(value: object): boolean {
    if (this.#isNext('[') || this.#isNext('{')) return this.#isFlow(value, 0) && this.#endsLine();
    return Array.isArray(value) ? this.#isSequence(value) : this.#isMapping(value as Members);
  }

  #isSequence(items: readonly unknown[]): boolean {
    const column = this.#column;
    let count = 0;
    while (this.#column === column && this.#isDash()) {
      if (count === items.length) return false;
      this.#forward(1);
      if (this.#endsLine() ? items[count] !== null || this.#column > column : !this.#isItem(items[count])) return false;
      count += 1;
    }
    return count > 0 && count === items.length;
  }

  #isItem(item: unknown): boolean {
    const isBlock = this.#isDash() || (isMapping(item) && !this.#isNext('{'));
    return isBlock ? typeof item === 'object' && item !== null && this.#isCollection(item) : this.#isScalarLine(item);
  }

  #isMapping(members: Members): boolean {
    const column = this.#column;
    const names = Object.keys(members);
    let count = 0;
    while (this.#column === column && this.#at < this.#text.length) {
      // Keys are in the order of the text, but for numbers out of order; these are left to the position tree.
      const name = names[count];
      if (name === undefined || this.#key() !== name) return false;
      count += 1;
      if (!this.#isMember(members[name], column)) return false;
    }
    return count > 0 && count === names.length;
  }

  /** The key at this place; goes behind its colon. In flow style the value may follow that of a quoted key at once, as in JSON. */
  #key(isInFlow = false): string | undefined {
    const plain = this.#match(key);
    const name = plain ?? this.#quoted();
    if (this.#isNext(' ')) this.#forward(0);
    if (name === undefined || !this.#isNext(':') || isWord(name)) return undefined;
    const next = this.#text[this.#at + 1];
    const isAdjacent = next !== ' ' && next !== '\n' && next !== undefined;
    if (isAdjacent && (!isInFlow || plain !== undefined)) return undefined;
    this.#forward(1);
    return name;
  }

  /** The value behind a key: on the line of the key, else below, deeper or a list's "- "; null when nothing is there. */
  #isMember(value: unknown, column: number): boolean {
    const literal = this.#isNext('|') ? this.#match(literalHead) : undefined;
    if (literal !== undefined) return this.#isLiteral(value, literal, column);
    if (!this.#endsLine()) return this.#isScalarLine(value);
    const isBelow =
      this.#at < this.#text.length && (this.#column > column || (this.#column === column && this.#isDash()));
    if (!isBelow) return value === null;
    return typeof value === 'object' && value !== null && this.#isCollection(value);
  }

  /** A scalar or a flow collection, and nothing but a comment behind it on its line. */
  #isScalarLine(value: unknown): boolean {
    const isRead =
      this.#isNext('[') || this.#isNext('{') ? this.#isFlow(value, 0) : this.#isScalar(value, plainInBlock);
    return isRead && this.#endsLine();
  }

  #isScalar(value: unknown, plain: RegExp): boolean {
    const quoted = this.#quoted();
    if (quoted !== undefined) return quoted === value;
    const written = this.#match(plain);
    return written !== undefined && isWrittenAs(value, written);
  }

  #isFlow(value: unknown, depth: number): boolean {
    if (depth > 100) return false;
    if (this.#isNext('[')) return Array.isArray(value) && this.#isFlowSequence(value, depth);
    if (this.#isNext('{')) return isMapping(value) && this.#isFlowMapping(value, depth);
    return this.#isScalar(value, plainInFlow);
  }

  #isFlowSequence(items: readonly unknown[], depth: number): boolean {
    this.#forward(1);
    for (const [index, item] of items.entries()) {
      if (index > 0 && !this.#isSeparated(',')) return false;
      if (!this.#isFlow(item, depth + 1)) return false;
      this.#forward(0);
    }
    return this.#isSeparated(']');
  }

  #isFlowMapping(members: Members, depth: number): boolean {
    this.#forward(1);
    for (const [index, name] of Object.keys(members).entries()) {
      if (index > 0 && !this.#isSeparated(',')) return false;
      if (this.#key(true) !== name || !this.#isFlow(members[name], depth + 1)) return false;
      this.#forward(0);
    }
    return this.#isSeparated('}');
  }

  #isSeparated(mark: ',' | ']' | '}'): boolean {
    if (!this.#isNext(mark)) return false;
    if (mark === ',') this.#forward(1);
    else this.#at += 1;
    return true;
  }

  /** Lines of one indentation or more below a `|` or `|-`; the first one is not empty. */
  #isLiteral(value: unknown, head: string, column: number): boolean {
    if (typeof value !== 'string') return false;
    this.#at += 1;
    const indentation = this.#spaces();
    if (indentation <= column || this.#text[this.#at + indentation] === '\n') return false;
    const lines: string[] = [];
    while (this.#at < this.#text.length) {
      const end = this.#text.indexOf('\n', this.#at);
      if (end === -1) return false;
      const spaces = this.#spaces();
      const isEmpty = this.#at + spaces === end;
      if (!isEmpty && spaces < indentation) break;
      lines.push(isEmpty && spaces <= indentation ? '' : this.#text.slice(this.#at + indentation, end));
      this.#at = end + 1;
    }
    while (lines.at(-1) === '') lines.pop();
    this.#nextLine();
    return value === lines.join('\n') + (head === '|' ? '\n' : '') && this.#column <= column;
  }

  #quoted(): string | undefined {
    if (this.#isNext('"')) {
      const written = this.#match(doubleQuoted);
      return written === undefined ? undefined : JSON.parse(written);
    }
    return this.#isNext("'") ? this.#match(singleQuoted)?.slice(1, -1).replaceAll("''", "'") : undefined;
  }

  #match(pattern: RegExp): string | undefined {
    const from = this.#at;
    pattern.lastIndex = from;
    if (!pattern.test(this.#text)) return undefined;
    this.#at = pattern.lastIndex;
    this.#column += this.#at - from;
    return this.#text.slice(from, this.#at);
  }

  #isDash(): boolean {
    const next = this.#isNext('-') ? this.#text[this.#at + 1] : '';
    return next === ' ' || next === '\n';
  }

  #isNext(character: string): boolean {
    return this.#text[this.#at] === character;
  }

  #spaces(): number {
    let at = this.#at;
    while (this.#text.charCodeAt(at) === 0x20) at += 1;
    return at - this.#at;
  }

  /** Over some characters and the spaces behind them. */
  #forward(characters: number): void {
    const from = this.#at;
    this.#at += characters;
    this.#at += this.#spaces();
    this.#column += this.#at - from;
  }

  #endsLine(): boolean {
    if (this.#isNext('\n')) this.#at += 1;
    else if (this.#match(endOfLine) === undefined) return false;
    this.#nextLine();
    return true;
  }

  /** From the beginning of a line to the first character that says something. */
  #nextLine(): void {
    for (;;) {
      this.#column = 0;
      this.#forward(0);
      if (this.#isNext('#')) this.#at = endOr(this.#text.indexOf('\n', this.#at), this.#text.length);
      if (!this.#isNext('\n')) return;
      this.#at += 1;
    }
  }
}

function endOr(found: number, end: number): number {
  return found === -1 ? end : found;
}

function isMapping(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
