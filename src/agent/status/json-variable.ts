import { type JsonPath, lineAndColumn, lineStarts } from '../../diagnostics/span.ts';

/** The JSON that a variable holds, with the places of its parts. */
export interface JsonVariable {
  readonly value: unknown;
  /** `NAME:line:column` of the value at `path`; of its nearest ancestor where there is none. */
  placeOf(path: JsonPath): string;
}

export type ParsedJsonVariable =
  | { readonly ok: true; readonly json: JsonVariable }
  | { readonly ok: false; readonly problem: string };

/**
 * Parses a variable as JSON (RFC 8259); a repeated key is refused. A problem names the position and never quotes the text,
 * which may contain passwords. The error of `JSON.parse` has the position or a quotation, depending on the version of Node.
 */
export function parseJsonVariable(name: string, text: string): ParsedJsonVariable {
  const starts = lineStarts(text);
  const place = (offset: number): string => {
    const { line, column } = lineAndColumn(starts, offset);
    return `${name}:${line}:${column}`;
  };
  try {
    const reader = new JsonReader(text);
    const value = reader.document();
    return { ok: true, json: { value, placeOf: (path) => place(reader.offsetOf(path)) } };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { ok: false, problem: `${place(error.offset)}: ${error.message}` };
  }
}

class JsonFault extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const string = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
const space = /[ \t\r\n]*/y;
const maxDepth = 32;

class JsonReader {
  readonly #text: string;
  readonly #offsets = new Map<string, number>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value([]);
    if (this.#at < this.#text.length) throw new JsonFault(this.#at, 'nothing may follow the value');
    return value;
  }

  offsetOf(path: JsonPath): number {
    for (let length = path.length; length > 0; length--) {
      const offset = this.#offsets.get(JSON.stringify(path.slice(0, length)));
      if (offset !== undefined) return offset;
    }
    return this.#offsets.get('[]') ?? 0;
  }

  #value(path: JsonPath): unknown {
    this.#take(space);
    const start = this.#at;
    this.#offsets.set(JSON.stringify(path), start);
    if (path.length > maxDepth) throw new JsonFault(start, 'this is nested too deeply');
    const value = this.#skip('{')
      ? this.#object(path)
      : this.#skip('[')
        ? this.#array(path)
        : JSON.parse(this.#take(string) ?? this.#take(scalar) ?? this.#fail('a JSON value is expected'));
    this.#take(space);
    return value;
  }

  #object(path: JsonPath): unknown {
    const entries = new Map<string, unknown>();
    this.#take(space);
    if (this.#skip('}')) return {};
    do {
      this.#take(space);
      const start = this.#at;
      const key = JSON.parse(this.#take(string) ?? this.#fail('a key in double quotes is expected')) as string;
      if (entries.has(key)) throw new JsonFault(start, 'this key stands here twice');
      this.#take(space);
      if (!this.#skip(':')) this.#fail('":" is expected');
      entries.set(key, this.#value([...path, key]));
    } while (this.#skip(','));
    if (!this.#skip('}')) this.#fail('"," or "}" is expected');
    return Object.fromEntries(entries);
  }

  #array(path: JsonPath): unknown[] {
    const items: unknown[] = [];
    this.#take(space);
    if (this.#skip(']')) return items;
    do items.push(this.#value([...path, items.length]));
    while (this.#skip(','));
    if (!this.#skip(']')) this.#fail('"," or "]" is expected');
    return items;
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [match] = pattern.exec(this.#text) ?? [];
    this.#at += match?.length ?? 0;
    return match;
  }

  #fail(message: string): never {
    throw new JsonFault(this.#at, message);
  }
}
