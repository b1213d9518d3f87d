import { cutDocuments } from './cut.ts';
import { defaultLimits } from './limits.ts';
import { listItems } from './list-items.ts';
import { loader } from './load.ts';

/**
 * The kinds that a text names, those of the items in the place of a list; `List` for a list with `items: []`. Blanks,
 * comments, scalars and mappings without a kind name none, nor does what ends with its kind: it was cut off there, maybe
 * within the kind. Undefined when some document cannot be read, which is a fault of its own.
 */
export function statedKinds(text: string): readonly string[] | undefined {
  const load = loader(defaultLimits);
  const kinds: string[] = [];
  for (const { start, end } of cutDocuments(text)) {
    const loaded = load(text.slice(start, end));
    if (!loaded.ok) return undefined;
    kinds.push(...kindsOf(loaded.value));
  }
  return kinds;
}

function kindsOf(value: unknown): readonly string[] {
  const kind = kindOf(value);
  const items = listItems(value);
  if (items === undefined || kind === undefined) return kind === undefined ? [] : [kind];
  if (items.length > 0) return items.flatMap((item) => kindOf(item) ?? []);
  return Array.isArray((value as { readonly items?: unknown }).items) ? ['List'] : [];
}

function kindOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  const saysMore = Object.keys(value).some((key) => key !== 'apiVersion' && key !== 'kind');
  return saysMore && typeof value.kind === 'string' ? value.kind : undefined;
}
