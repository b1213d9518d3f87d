import type { JsonPath } from '../../diagnostics/span.ts';
import type { JsonObject, JsonValue } from './document.ts';
import type { DocumentText } from './document-text.ts';
import { jsonElements } from './json-positions.ts';
import type { OffsetRange } from './position-tree.ts';

/** The items of `kind: List` and of typed lists (`PodList`); undefined for every other object. */
export function listItems(value: JsonObject): readonly JsonValue[] | undefined {
  const { kind, items } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List')) return undefined;
  if (Array.isArray(items)) return items;
  return kind === 'List' && (items === null || items === undefined) ? [] : undefined;
}

/** Where one item stands alone: its own text, and the path of the item in it. */
export interface ItemText {
  readonly range: OffsetRange;
  readonly base: JsonPath;
}

/**
 * Texts of a list's items, so that a position in one item does not cost a tree of the whole list. Undefined when the
 * list is written in a form that has no such texts (flow style, an item that shares aliases with another).
 */
export function itemTexts(list: DocumentText, count: number): ItemText[] | undefined {
  const found = list.isJson
    ? jsonElements(list.text, 'items').map((range) => ({ range, base: [] }))
    : blockItems(list.text).map((range) => ({ range, base: [0] }));
  return found.length === count ? found : undefined;
}

/** Lines `- …` below a line `items:`, all at one indentation; the number of items tells whether it was understood. */
function blockItems(text: string): OffsetRange[] {
  if (/(?:^|[\s,[{:-])[&*]/m.test(text)) return [];
  const header = /^items:[ ]*(?:#.*)?\r?\n(?:[ ]*(?:#.*)?\r?\n)*([ ]*)- /m.exec(text);
  if (header === null) return [];
  const indentation = header[1] ?? '';
  const entry = new RegExp(`^${indentation}- `, 'gm');
  entry.lastIndex = header.index;
  const starts: number[] = [];
  for (let match = entry.exec(text); match !== null; match = entry.exec(text)) starts.push(match.index);
  const afterList = new RegExp(`^(?! {${indentation.length + 1}}|${indentation}- |[ ]*(?:#.*)?\\r?$)`, 'gm');
  afterList.lastIndex = starts.at(-1) ?? 0;
  const end = afterList.exec(text)?.index ?? text.length;
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? end }));
}
