import { formatPath } from '../diagnostics/json-path.ts';
import { type ArrayOffsets, jsonRangeOf } from '../diagnostics/json-positions.ts';
import type { JsonPath, OffsetRange, SourceSpan } from '../diagnostics/span.ts';
import { countNodes } from './check-value.ts';
import { disagreement } from './disagreement.ts';
import type { ItemText } from './list-items.ts';
import { isSameReading } from './same-reading.ts';
import type { TreeCache } from './tree-cache.ts';

export interface DocumentPlace {
  readonly file: string;
  readonly text: string;
  /** Offset of the text in its file. */
  readonly offset: number;
  /** Valid JSON, so that its positions are found without a tree. */
  readonly isJson: boolean;
  /** Of a file that was found in a folder. */
  readonly isFound: boolean;
}

/** What all documents of one run share. */
export interface PositionSettings {
  readonly trees: TreeCache;
  /** A tree takes one to two kilobytes a value: larger documents get none, and everything in them has one place. */
  readonly maxTreeNodes: number;
}

/** What a second parser says of a text and the value that the first one read in it. */
export type Agreement =
  | { readonly agrees: true }
  /** It reads something else, or refuses the text; where, and in which words. */
  | { readonly agrees: false; readonly span: SourceSpan; readonly what: string; readonly isListKey?: true }
  /** The second parser would cost too much for so many values. */
  | { readonly agrees: 'unknown' };

const agreed: Agreement = { agrees: true };
const noItems: readonly ItemText[] = [];

/** Text and value of one document; finds positions in it when somebody asks. */
export class DocumentText {
  readonly place: DocumentPlace;
  readonly #value: unknown;
  readonly #settings: PositionSettings;
  #items = noItems;
  #itemValues: readonly unknown[] = noItems;
  /** Made when first needed, as the next: there are tens of thousands of documents, and few are ever asked. */
  #itemTexts: Map<number, DocumentText> | undefined;
  /** Places that were asked for: origins ask for the same ones again whenever something else has changed. */
  #found: Map<string, SourceSpan> | undefined;
  /** Of a JSON text: a finding for each of thousands of rules must not read all the others. */
  #arrays: ArrayOffsets | undefined;
  #agreement: Agreement | undefined;
  #isSmall: boolean | undefined;

  constructor(place: DocumentPlace, value: unknown, settings: PositionSettings) {
    this.place = place;
    this.#value = value;
    this.#settings = settings;
  }

  /** From now on positions below `['items', i]` are found in the text of that item alone. */
  splitIntoItems(values: readonly unknown[], texts: readonly ItemText[]): void {
    this.#items = texts;
    this.#itemValues = values;
  }

  /** Where the object at `base` begins; never needs a tree. */
  startOf(base: JsonPath): SourceSpan {
    const range = this.#rangeOfItem(base);
    if (range === undefined) return this.#span(firstContent(this.place.text));
    const { start, end } = firstContent(this.place.text.slice(range.start, range.end));
    return this.#span({ start: range.start + start, end: range.start + end });
  }

  /** The place of the value (or key) at `path`; the document's beginning when its positions cannot be trusted. */
  spanOf(path: JsonPath, part: 'key' | 'value'): SourceSpan {
    const item = this.#itemAt(path);
    if (item !== undefined) return item.text.spanOf([...item.base, ...path.slice(2)], part);
    const key = JSON.stringify([part, ...path]);
    this.#found ??= new Map();
    const span = this.#found.get(key) ?? this.#findSpan(path, part);
    this.#found.set(key, span);
    return span;
  }

  #findSpan(path: JsonPath, part: 'key' | 'value'): SourceSpan {
    if (this.place.isJson) {
      this.#arrays ??= new Map();
      return this.#span(jsonRangeOf(this.place.text, path, part, this.#arrays));
    }
    const vague: SourceSpan = { ...this.startOf([]), isVague: true };
    if (!this.isSmall) return vague;
    const plain = this.#settings.trees.plainOf(this.place.text, this.#value);
    if (plain !== undefined) return this.#span(plain(path, part));
    return this.agreement.agrees === true ? this.#span(this.#tree.rangeOf(path, part)) : vague;
  }

  /** The key at the end of `path`, when it was not written as a string or a plain decimal integer. */
  oddKeyAt(path: JsonPath): SourceSpan | undefined {
    const item = this.#itemAt(path);
    if (item !== undefined) return item.text.oddKeyAt([...item.base, ...path.slice(2)]);
    if (this.place.isJson || this.#tree.hasTextKey(path)) return undefined;
    return this.#span(this.#tree.rangeOf(path, 'key'));
  }

  /** Few enough values for a tree. */
  get isSmall(): boolean {
    const { maxTreeNodes } = this.#settings;
    this.#isSmall ??=
      this.place.isJson ||
      (this.#items.length > 0
        ? this.#items.every((_, index) => this.#itemText(index).isSmall)
        : countNodes(this.#value, maxTreeNodes) < maxTreeNodes);
    return this.#isSmall;
  }

  /** Whether a second parser reads the same; compared once. Nothing of a document is believed before. */
  get agreement(): Agreement {
    this.#agreement ??= this.#agree();
    return this.#agreement;
  }

  #agree(): Agreement {
    const { isJson, text } = this.place;
    if (isJson || isSameReading(text, this.#value)) return agreed;
    if (this.#items.length > 0) {
      if (this.#agreesInParts()) return agreed;
      // Items that share anchors can only be understood together.
      this.#items = noItems;
      this.#isSmall = undefined;
    }
    if (!this.isSmall) return { agrees: 'unknown' };
    const difference = this.#difference();
    return difference === undefined ? agreed : { agrees: false, ...difference };
  }

  /** Each item of a list alone, and what stands around them. */
  #agreesInParts(): boolean {
    const { text } = this.place;
    const around = text.slice(0, this.#items[0]?.range.start) + text.slice(this.#items.at(-1)?.range.end);
    const value = { ...(this.#value as object), items: null };
    const frame = new DocumentText({ ...this.place, text: around }, value, this.#settings);
    if (frame.agreement.agrees !== true) return false;
    // Their texts are not kept: a list may have hundreds of thousands of items.
    return this.#items.every((_, index) => this.#makeItemText(index).agreement.agrees === true);
  }

  #difference(): Omit<Extract<Agreement, { readonly agrees: false }>, 'agrees'> | undefined {
    const { reading, rangeOf } = this.#tree;
    if ('listKey' in reading) return { span: this.#span(reading.listKey), what: 'a key is a list', isListKey: true };
    if ('fault' in reading) {
      return { span: this.#span({ start: reading.offset, end: reading.offset }), what: 'one of them refuses it here' };
    }
    const path = disagreement(this.#value, reading.json);
    if (path === undefined) return undefined;
    const what = path.length === 0 ? 'as a whole' : `at ${formatPath(path)}`;
    return { span: this.#span(rangeOf(path, 'value')), what };
  }

  get #tree() {
    return this.#settings.trees.of(this.place.text);
  }

  #itemAt(path: JsonPath): { readonly base: JsonPath; readonly text: DocumentText } | undefined {
    const item = path[0] === 'items' && typeof path[1] === 'number' ? this.#items[path[1]] : undefined;
    return item === undefined ? undefined : { base: item.base, text: this.#itemText(Number(path[1])) };
  }

  #rangeOfItem(path: JsonPath): OffsetRange | undefined {
    return path[0] === 'items' && typeof path[1] === 'number' ? this.#items[path[1]]?.range : undefined;
  }

  /** Made when asked for: most items of most lists never are. */
  #itemText(index: number): DocumentText {
    this.#itemTexts ??= new Map();
    const item = this.#itemTexts.get(index) ?? this.#makeItemText(index);
    this.#itemTexts.set(index, item);
    return item;
  }

  #makeItemText(index: number): DocumentText {
    const { place } = this;
    const { range, base } = this.#items[index] ?? { range: { start: 0, end: 0 }, base: [] };
    const text = place.text.slice(range.start, range.end);
    const value = base.length === 0 ? this.#itemValues[index] : [this.#itemValues[index]];
    return new DocumentText({ ...place, text, offset: place.offset + range.start }, value, this.#settings);
  }

  #span(range: OffsetRange): SourceSpan {
    const { file, offset } = this.place;
    return { file, start: offset + range.start, end: offset + range.end };
  }
}

/** Behind the `---` line, comments and blank lines; for an item of a list, behind its "- ". */
function firstContent(text: string): OffsetRange {
  const lead = /---(?=\s)|\s+|#[^\n]*|- +|%[^\n]*\n/y;
  let start = 0;
  while (lead.test(text)) start = lead.lastIndex;
  const line = /^[^\r\n]*/.exec(text.slice(start, start + 200))?.[0] ?? '';
  return { start, end: start + line.trimEnd().length };
}
