import type { BlockOr, MemberNode, TemplateTree, ValueNode } from './template-node.ts';
import { type Token, tokensOf } from './tokens.ts';

/**
 * A template as the JSON that it writes: objects, lists, constants, and where values are placed. Throws on a template that
 * does more than place values in well-formed JSON.
 */
export function readTree(name: string, text: string): TemplateTree {
  const reader = new Reader(tokensOf(name, text), name);
  const tree: TemplateTree = reader.startsWithBlock
    ? { kind: 'choices', choices: reader.list(undefined, (inner) => inner.value()) }
    : reader.value();
  reader.end();
  return tree;
}

class Reader {
  readonly #tokens: readonly Token[];
  readonly #template: string;
  #at = 0;

  constructor(tokens: readonly Token[], template: string) {
    this.#tokens = tokens;
    this.#template = template;
  }

  get startsWithBlock(): boolean {
    return this.#tokens[0]?.kind === 'block';
  }

  value(): ValueNode {
    const token = this.#next();
    if (token.kind === 'block') return this.#fail();
    if (token.kind !== 'sign') return token;
    if (token.sign === '{') return { kind: 'object', members: this.list('}', (inner) => inner.#member()) };
    if (token.sign === '[') return { kind: 'list', elements: this.list(']', (inner) => inner.value()) };
    return this.#fail();
  }

  /** Up to the sign that ends it, or to the end of the tokens; blocks hold lists of the same. */
  list<Node>(end: string | undefined, read: (reader: Reader) => Node): readonly BlockOr<Node>[] {
    const list: BlockOr<Node>[] = [];
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token === undefined) return end === undefined ? list : this.#fail();
      if (token.kind === 'sign' && token.sign === end) {
        this.#at += 1;
        return list;
      }
      if (token.kind === 'block') {
        this.#at += 1;
        const { block, path } = token;
        const body = new Reader(token.body, this.#template).list(undefined, read);
        list.push({ kind: 'block', block, path, body });
      } else list.push(read(this));
    }
  }

  /** Throws unless everything was read. */
  end(): void {
    if (this.#at < this.#tokens.length) this.#fail();
  }

  #member(): MemberNode {
    const token = this.#next();
    const key = token.kind === 'constant' ? token.value : token;
    const colon = this.#next();
    if (colon.kind !== 'sign' || colon.sign !== ':') return this.#fail();
    if (typeof key === 'string') return { kind: 'member', key, value: this.value() };
    return token.kind === 'place' ? { kind: 'member', key: token, value: this.value() } : this.#fail();
  }

  #next(): Token {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token ?? this.#fail();
  }

  #fail(): never {
    const near = JSON.stringify(this.#tokens[this.#at - 1]);
    throw new Error(`template ${this.#template} is not well-formed JSON near ${near}`);
  }
}
