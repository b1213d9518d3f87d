import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath, SourceSpan } from '../../diagnostics/span.ts';
import { disagreement } from './disagreement.ts';
import { jsonRangeOf } from './json-positions.ts';
import { type PositionTree, positionTree } from './position-tree.ts';

/** Text of one document and where it stands; finds positions in it when somebody asks. */
export class DocumentText {
  readonly file: string;
  readonly text: string;
  /** Offset of the text in its file. */
  readonly offset: number;
  /** Valid JSON, so that its positions are found without a tree. */
  readonly isJson: boolean;
  readonly #value: unknown;
  readonly #trees: TreeCache;
  readonly #bag: DiagnosticBag;
  #isCompared = false;
  #agrees = true;

  constructor(
    place: { readonly file: string; readonly text: string; readonly offset: number; readonly isJson: boolean },
    value: unknown,
    trees: TreeCache,
    bag: DiagnosticBag,
  ) {
    this.file = place.file;
    this.text = place.text;
    this.offset = place.offset;
    this.isJson = place.isJson;
    this.#value = value;
    this.#trees = trees;
    this.#bag = bag;
  }

  spanOf(path: JsonPath, part: 'key' | 'value'): SourceSpan {
    return this.agrees() ? this.rawSpanOf(path, part) : this.span({ start: 0, end: 0 });
  }

  /** As `spanOf`, of a document that is refused already. */
  rawSpanOf(path: JsonPath, part: 'key' | 'value'): SourceSpan {
    return this.span(this.isJson ? jsonRangeOf(this.text, path, part) : this.#trees.of(this).rangeOf(path, part));
  }

  /** The key at the end of `path` was written as a string or a plain decimal integer. */
  hasTextKey(path: JsonPath): boolean {
    return this.isJson || this.#trees.of(this).hasTextKey(path);
  }

  span(range: { readonly start: number; readonly end: number }): SourceSpan {
    return { file: this.file, start: this.offset + range.start, end: this.offset + range.end };
  }

  /** Both parsers read the same. Compared once; a difference is reported when it is found. */
  agrees(): boolean {
    if (!this.#isCompared) {
      this.#isCompared = true;
      this.#agrees = this.isJson || this.#compare(this.#trees.of(this));
    }
    return this.#agrees;
  }

  #compare(tree: PositionTree): boolean {
    const reading = tree.value;
    if ('fault' in reading) {
      const range = { start: reading.offset, end: reading.offset };
      this.#bag.report('parsers-disagree', this.span(range), { difference: 'one of them refuses it here' });
      return false;
    }
    const path = disagreement(this.#value, reading.json);
    if (path === undefined) return true;
    const where = path.length === 0 ? 'the whole document' : `the value of ${path.join('.')}`;
    this.#bag.report('parsers-disagree', this.span(tree.rangeOf(path, 'value')), { difference: where });
    return false;
  }
}

/** Keeps the trees asked for last; a tree takes about fifty times the memory of its text. */
export class TreeCache {
  readonly #trees = new Map<DocumentText, PositionTree>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters = 1_000_000) {
    this.#maxCharacters = maxCharacters;
  }

  of(document: DocumentText): PositionTree {
    const known = this.#trees.get(document);
    if (known !== undefined) return known;
    const tree = positionTree(document.text);
    this.#trees.set(document, tree);
    this.#characters += document.text.length;
    for (const oldest of this.#trees.keys()) {
      if (this.#characters <= this.#maxCharacters || oldest === document) break;
      this.#trees.delete(oldest);
      this.#characters -= oldest.text.length;
    }
    return tree;
  }
}
