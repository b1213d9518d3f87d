import { plainPositions, type RangeOf } from './plain-positions.ts';
import { type PositionTree, positionTree } from './position-tree.ts';

/** Keeps what was made of the texts asked for last: a document that is asked once is mostly asked again. */
class TextCache<T> {
  readonly #made = new Map<string, T>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  of(text: string, make: () => T): T {
    const known = this.#made.get(text);
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(text, made);
    this.#characters += text.length;
    for (const oldest of this.#made.keys()) {
      if (this.#characters <= this.#maxCharacters || oldest === text) break;
      this.#made.delete(oldest);
      this.#characters -= oldest.length;
    }
    return made;
  }
}

/** Positions in documents, in both forms. */
export class TreeCache {
  readonly #trees: TextCache<PositionTree>;
  readonly #plain: TextCache<RangeOf | 'not plain'>;

  constructor(maxCharacters = 250_000) {
    this.#trees = new TextCache(maxCharacters);
    this.#plain = new TextCache(maxCharacters);
  }

  of(text: string): PositionTree {
    return this.#trees.of(text, () => positionTree(text));
  }

  /** `value` is what was read from `text`; undefined when the text takes a tree. */
  plainOf(text: string, value: unknown): RangeOf | undefined {
    const positions = this.#plain.of(text, () => plainPositions(text, value) ?? 'not plain');
    return positions === 'not plain' ? undefined : positions;
  }
}

/** One for the process: files are parsed one at a time, and the bound is meant for all of them together. */
export const sharedTrees = new TreeCache();
