import type { HttpMatch, StringMatch } from '../../policy/virtual-service.ts';

/**
 * The conditions under which both hold: each match of the delegate with each of the root's that it is compatible with.
 * `conflicting` is the index of one that is compatible with none.
 */
export function mergeMatches(
  root: readonly HttpMatch[],
  leaf: readonly HttpMatch[],
): { readonly merged: readonly HttpMatch[] } | { readonly conflicting: number } {
  if (root.length === 0) return { merged: leaf };
  if (leaf.length === 0) return { merged: root };
  const merged: HttpMatch[] = [];
  for (const [i, own] of leaf.entries()) {
    const compatible = root.filter((match) => isCompatible(match, own));
    if (compatible.length === 0) return { conflicting: i };
    merged.push(...compatible.map((match) => mergeMatch(match, own)));
  }
  return { merged };
}

const texts = ['uri', 'scheme', 'method', 'authority'] as const;
const maps = ['headers', 'withoutHeaders', 'queryParams'] as const;

function isCompatible(root: HttpMatch, leaf: HttpMatch): boolean {
  if ((root.ignoreUriCase ?? false) !== (leaf.ignoreUriCase ?? false)) return false;
  if (root.port !== undefined && leaf.port !== undefined && root.port !== leaf.port) return false;
  if (!texts.every((field) => areTextsCompatible(root[field], leaf[field]))) return false;
  return maps.every((field) =>
    Object.entries(root[field] ?? {}).every(([name, text]) => areTextsCompatible(text, leaf[field]?.[name])),
  );
}

/** The delegate's text must be within the root's; of expressions nobody can tell. */
function areTextsCompatible(root: StringMatch | undefined, leaf: StringMatch | undefined): boolean {
  if (root === undefined || leaf === undefined) return true;
  if (root.regex !== undefined || leaf.regex !== undefined) return false;
  if (root.exact !== undefined) return leaf.exact === root.exact;
  if (root.prefix !== undefined) return (leaf.exact ?? leaf.prefix)?.startsWith(root.prefix) ?? false;
  // The root asks for presence only.
  return true;
}

/** The delegate's conditions, and those of the root for what it says nothing about; whose requests is the root's say. */
function mergeMatch(root: HttpMatch, leaf: HttpMatch): HttpMatch {
  const { gateways: _gateways, sourceLabels: _labels, sourceNamespace: _namespace, name: _name, ...own } = leaf;
  const name = [root.name, leaf.name].filter((part) => part !== undefined && part !== '').join('-');
  const joined = maps.flatMap((field) =>
    root[field] === undefined && leaf[field] === undefined ? [] : [[field, { ...root[field], ...leaf[field] }]],
  );
  return { ...root, ...own, ...Object.fromEntries(joined), ...(name === '' ? {} : { name }) };
}
