import { cutDocuments } from './cut.ts';
import { defaultLimits } from './limits.ts';
import { loader } from './load.ts';

/**
 * Whether a text says of itself what it holds: some document names a kind (a list that is empty does), or cannot be
 * read, which is a fault of its own. Blanks, comments, scalars and mappings without a kind say nothing.
 */
export function holdsObject(text: string): boolean {
  const load = loader(defaultLimits);
  return cutDocuments(text).some(({ start, end }) => {
    const loaded = load(text.slice(start, end));
    return !loaded.ok || namesKind(loaded.value);
  });
}

function namesKind(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
}
