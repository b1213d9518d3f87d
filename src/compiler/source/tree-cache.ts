import { type PositionTree, positionTree } from './position-tree.ts';

/** Keeps the trees asked for last: a document that is asked once is mostly asked again. */
export class TreeCache {
  readonly #trees = new Map<string, PositionTree>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters = 250_000) {
    this.#maxCharacters = maxCharacters;
  }

  of(text: string): PositionTree {
    const known = this.#trees.get(text);
    if (known !== undefined) return known;
    const tree = positionTree(text);
    this.#trees.set(text, tree);
    this.#characters += text.length;
    for (const oldest of this.#trees.keys()) {
      if (this.#characters <= this.#maxCharacters || oldest === text) break;
      this.#trees.delete(oldest);
      this.#characters -= oldest.length;
    }
    return tree;
  }
}

/** One for the process: files are parsed one at a time, and the bound is meant for all of them together. */
export const sharedTrees = new TreeCache();
