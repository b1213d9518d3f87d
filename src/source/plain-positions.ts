import type { JsonPath, OffsetRange } from '../diagnostics/span.ts';
import { plainInFlow } from './scalar-forms.ts';

/** Where one value stands, and its key; children by key or index. */
interface PlainNode {
  readonly range: OffsetRange;
  readonly key: OffsetRange | undefined;
  readonly children: ReadonlyMap<string, PlainNode>;
}

/** Finds the deepest value that exists on `path`, or its key. */
export type RangeOf = (path: JsonPath, part: 'key' | 'value') => OffsetRange;

/**
 * Positions in a document of the plain kind: block mappings and sequences of scalars, and of brackets on one line, as people
 * and kubectl mostly write them. The text is read in step with the value that the parser made of it, so this is a second reading
 * too: undefined as soon as anything is not plain or not as the value says. Costs a twentieth of a position tree.
 */
export function plainPositions(text: string, value: unknown): RangeOf | undefined {
  const reading = new PlainReading(text);
  const root = reading.document(value);
  if (root === undefined) return undefined;
  return (path, part) => {
    let node = root;
    for (const step of path) {
      const child = node.children.get(String(step));
      if (child === undefined) break;
      node = child;
    }
    const isEmpty = node.range.end === node.range.start;
    return node.key !== undefined && (part === 'key' || isEmpty) ? node.key : node.range;
  };
}

const noChildren: ReadonlyMap<string, PlainNode> = new Map();
const start = /(?:---(?: *\r?\n))?/y;
const keyText = /([A-Za-z0-9_](?:[\w./-]*\w)?):(?=[ \n]|$)/y;
const quoted = /"([^"\\\n]*)"|'([^'\n]*)'/y;
const plain = /(?:[\w./*]|-(?=[\w.]))(?:[\w./@+%,=()*;<>-]|:(?=\S)| (?=[^\s#]))*/y;
/** Plain scalars that YAML 1.2's core schema does not read as strings, and some that it does. */
const typed = /^(?:[-+]?\.(?:inf|nan)|true|false|null)$/i;

/** One pass over a text. Every method gives undefined, or false, to give up. */
class PlainReading {
  readonly #text: string;
  /** Of the next character to read; between values that of the first on its line that is no space. */
  #at = 0;
  #column = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(value: unknown): PlainNode | undefined {
    if (this.#text.includes('\r') || this.#text.includes('\t')) return undefined;
    this.#at = this.#match(start)?.[0].length ?? 0;
    this.#skipLines();
    const root = this.#node(value, undefined);
    return this.#at === this.#text.length ? root : undefined;
  }

  #node(value: unknown, key: OffsetRange | undefined): PlainNode | undefined {
    if (!isFilled(value) || this.#text[this.#at] === '[') return this.#line(value, key);
    return Array.isArray(value)
      ? this.#sequence(value, key)
      : this.#mapping(value as Readonly<Record<string, unknown>>, key);
  }

  #sequence(items: readonly unknown[], key: OffsetRange | undefined): PlainNode | undefined {
    const column = this.#column;
    const from = this.#at;
    const children = new Map<string, PlainNode>();
    let end = from;
    while (this.#column === column && this.#text.startsWith('- ', this.#at)) {
      this.#forward(2);
      const child = this.#node(items[children.size], undefined);
      if (child === undefined) return undefined;
      children.set(String(children.size), child);
      end = this.#lineStart();
    }
    return children.size === items.length ? { range: { start: from, end }, key, children } : undefined;
  }

  #mapping(members: Readonly<Record<string, unknown>>, key: OffsetRange | undefined): PlainNode | undefined {
    const column = this.#column;
    const from = this.#at;
    const children = new Map<string, PlainNode>();
    let end = from;
    while (this.#column === column) {
      const name = this.#match(keyText)?.[1];
      if (name === undefined) break;
      if (!Object.hasOwn(members, name) || children.has(name)) return undefined;
      const child = this.#member(members[name], { start: this.#at, end: this.#at + name.length }, column);
      if (child === undefined) return undefined;
      children.set(name, child);
      end = this.#lineStart();
    }
    return children.size === Object.keys(members).length ? { range: { start: from, end }, key, children } : undefined;
  }

  /** The value behind a key: on the line of the key when it is a scalar or in brackets, else below, deeper or a list's "- ". */
  #member(value: unknown, key: OffsetRange, column: number): PlainNode | undefined {
    this.#forward(key.end - key.start + 1);
    if (this.#text[this.#at] !== '\n' && this.#at < this.#text.length) return this.#line(value, key);
    if (typeof value !== 'object' || value === null) return undefined;
    this.#skipLines();
    const isListAtKey = this.#column === column && Array.isArray(value);
    return this.#column > column || isListAtKey ? this.#node(value, key) : undefined;
  }

  /** A scalar or a collection in brackets, and nothing behind it on its line. */
  #line(value: unknown, key: OffsetRange | undefined): PlainNode | undefined {
    const node = this.#inline(value, key, plain);
    if (node === undefined || (this.#text[this.#at] !== '\n' && this.#at < this.#text.length)) return undefined;
    this.#skipLines();
    return node;
  }

  #inline(value: unknown, key: OffsetRange | undefined, unquoted: RegExp): PlainNode | undefined {
    if (isFilled(value)) return Array.isArray(value) ? this.#brackets(value, key) : undefined;
    const from = this.#at;
    const inQuotes = this.#match(quoted);
    const length = inQuotes?.[0].length ?? (isCollection(value) ? 2 : (this.#match(unquoted)?.[0].length ?? 0));
    const written = this.#text.slice(from, from + length);
    const isSame = inQuotes === null ? isWrittenAs(value, written) : value === (inQuotes[1] ?? inQuotes[2]);
    this.#at += length;
    return isSame ? { range: { start: from, end: this.#at }, key, children: noChildren } : undefined;
  }

  /** `[a, "b"]` */
  #brackets(items: readonly unknown[], key: OffsetRange | undefined): PlainNode | undefined {
    const from = this.#at;
    const children = new Map<string, PlainNode>();
    for (const item of items) {
      if (this.#text[this.#at] !== (children.size === 0 ? '[' : ',')) return undefined;
      this.#forward(1);
      const child = this.#inline(item, undefined, plainInFlow);
      if (child === undefined) return undefined;
      children.set(String(children.size), child);
      this.#forward(0);
    }
    if (this.#text[this.#at] !== ']') return undefined;
    this.#at += 1;
    return { range: { start: from, end: this.#at }, key, children };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  /** Over some characters and the spaces behind them. */
  #forward(characters: number): void {
    const from = this.#at;
    this.#at += characters;
    while (this.#text[this.#at] === ' ') this.#at += 1;
    this.#column += this.#at - from;
  }

  /** To the first character of the next line. */
  #skipLines(): void {
    if (this.#text[this.#at] === '\n') this.#at += 1;
    this.#column = 0;
    this.#forward(0);
  }

  #lineStart(): number {
    return this.#at - this.#column;
  }
}

function isCollection(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isFilled(value: unknown): value is object {
  return isCollection(value) && Object.keys(value).length > 0;
}

/** The only reading that YAML 1.2's core schema has of the plain text `written`. */
function isWrittenAs(value: unknown, written: string): boolean {
  if (typeof value === 'string') return value === written && !typed.test(written) && Number.isNaN(Number(written));
  if (typeof value === 'number') return /^(?:0|-?[1-9]\d*)$/.test(written) && String(value) === written;
  if (typeof value === 'boolean') return String(value) === written;
  return value !== null && written === (Array.isArray(value) ? '[]' : '{}');
}
