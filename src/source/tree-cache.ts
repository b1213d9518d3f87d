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

  forget(): void {
    this.#made.clear();
    this.#characters = 0;
  }
}

/** The most that positions of a character of policies were seen to take, with the strings and errors that hang on them. */
const bytesPerCharacter = { tree: 280, plain: 40 };

/** Positions in documents, in both forms. */
export class TreeCache {
  readonly #trees: TextCache<PositionTree>;
  readonly #plain: TextCache<RangeOf | 'not plain'>;

  /** Each form may take up so many bytes; one document that is larger is kept until the next one comes. */
  constructor(maxBytes = 16_000_000) {
    this.#trees = new TextCache(maxBytes / bytesPerCharacter.tree);
    this.#plain = new TextCache(maxBytes / bytesPerCharacter.plain);
  }

  /** Gives the memory back; whoever asks again waits again. */
  forget(): void {
    this.#trees.forget();
    this.#plain.forget();
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
