/** A condition as `explain` tells it. */
export type Told =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Told[] }
  | { readonly kind: 'not'; readonly of: Told }
  | { readonly kind: 'anything' | 'nothing' }
  | ToldTest;

/** A test of one property; `subject` is what is tested, and `verb` how. */
export interface ToldTest {
  readonly kind: 'test';
  readonly subject: string;
  readonly verb: Verb;
  readonly value: string;
}

export type Verb = 'is' | 'begins with' | 'ends with' | 'contains' | 'matches' | 'present' | 'like' | 'in';

/** Reads the words of a condition; throws where they are no such words. */
export function readTold(words: string): Told {
  const reader = new Reader(words);
  const told = reader.whole();
  if (!reader.isAtEnd) throw new Error(`not understood from "${reader.rest}" on: ${words}`);
  return told;
}

const forms: readonly (readonly [form: RegExp, read: (found: readonly string[]) => Omit<ToldTest, 'kind'>])[] = [
  [
    /^((?:an element of )?(?:path|method|host|server name|identity|(?:header|claim) [^\s)]+)) (is|begins with|ends with|contains|matches) ("(?:[^"\\]|\\.)*")/,
    ([, subject = '', verb = '', value = '']) => ({ subject, verb: verb as Verb, value: JSON.parse(value) }),
  ],
  [/^(method|host|(?:header|claim) [^\s)]+) present/, ([, subject = '']) => ({ subject, verb: 'present', value: '' })],
  [/^path like ([^\s)]+)/, ([, value = '']) => ({ subject: 'path', verb: 'like', value })],
  [
    /^(peer address|client address|destination) in ([^\s)]+)/,
    ([, subject = '', value = '']) => ({ subject, verb: 'in', value }),
  ],
  [/^port (\d+)/, ([, value = '']) => ({ subject: 'port', verb: 'is', value })],
  [/^any identity of the mesh/, () => ({ subject: 'identity', verb: 'present', value: '' })],
];

class Reader {
  #rest: string;

  constructor(words: string) {
    this.#rest = words;
  }

  get rest(): string {
    return this.#rest;
  }

  get isAtEnd(): boolean {
    return this.#rest === '';
  }

  whole(): Told {
    const parts = [this.#part()];
    const joint = this.#rest.startsWith(' and ') ? 'and' : 'or';
    while (this.#take(` ${joint} `)) parts.push(this.#part());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: joint, of: parts };
  }

  #part(): Told {
    if (this.#take('not (')) return { kind: 'not', of: this.#inParentheses() };
    if (this.#take('(')) return this.#inParentheses();
    for (const word of ['anything', 'nothing'] as const) if (this.#take(word)) return { kind: word };
    for (const [form, read] of forms) {
      const found = form.exec(this.#rest);
      if (found === null) continue;
      this.#rest = this.#rest.slice(found[0].length);
      return { kind: 'test', ...read(found) };
    }
    throw new Error(`not understood: ${this.#rest}`);
  }

  #inParentheses(): Told {
    const told = this.whole();
    if (!this.#take(')')) throw new Error(`")" is missing before "${this.#rest}"`);
    return told;
  }

  #take(word: string): boolean {
    if (!this.#rest.startsWith(word)) return false;
    this.#rest = this.#rest.slice(word.length);
    return true;
  }
}
