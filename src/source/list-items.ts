import { jsonElements } from '../diagnostics/json-positions.ts';
import type { JsonPath, OffsetRange } from '../diagnostics/span.ts';

/** The items of `kind: List` and of typed lists (`PodList`); undefined for every other value. */
export function listItems(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  const { kind } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List')) return undefined;
  const items = 'items' in value ? value.items : undefined;
  if (Array.isArray(items)) return items;
  return kind === 'List' && (items === null || items === undefined) ? [] : undefined;
}

/** Where one item stands alone: its own text, and the path of the item in it. */
export interface ItemText {
  readonly range: OffsetRange;
  readonly base: JsonPath;
}

/**
 * Texts of a list's items, so that a position in one item does not cost a tree of the whole list. None when the list
 * is written in a form that has no such texts (flow style).
 */
export function itemTexts(text: string, isJson: boolean, count: number): readonly ItemText[] {
  const found: ItemText[] = isJson
    ? jsonElements(text, 'items').map((range) => ({ range, base: [] }))
    : blockItems(text).map((range) => ({ range, base: [0] }));
  return found.length === count ? found : [];
}

/** Lines `- …` below a line `items:`, all at one indentation; the number of items tells whether it was understood. */
function blockItems(text: string): OffsetRange[] {
  const header = /^items:[ ]*(?:#.*)?\r?\n(?:[ ]*(?:#.*)?\r?\n)*([ ]*)-\s/m.exec(text);
  if (header === null) return [];
  const indentation = header[1] ?? '';
  const entry = new RegExp(`^${indentation}-\\s`, 'gm');
  entry.lastIndex = header.index;
  const starts: number[] = [];
  for (let match = entry.exec(text); match !== null; match = entry.exec(text)) starts.push(match.index);
  const afterList = new RegExp(`^(?! {${indentation.length + 1}}|${indentation}-\\s|[ ]*(?:#.*)?\\r?$)`, 'gm');
  afterList.lastIndex = starts.at(-1) ?? 0;
  const end = afterList.exec(text)?.index ?? text.length;
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? end }));
}
