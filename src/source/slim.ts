/** Kinds, labels, methods and names of services are shorter, and are said again in most documents. */
const longestShared = 64;

/** So many texts are known at a time. */
const mostShared = 4096;

const shared = new Map<string, string>();

/**
 * Makes a value that was parsed, and that is kept, smaller by a quarter: lists have no room for more items, and short texts
 * that were met before are the same string, which keeps no file's text in memory. The value is changed in place and means
 * the same. It must be no larger than `checkValue` allows, with its aliases written out.
 */
export function slim(value: object): void {
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (typeof member === 'string') members[key] = sharedText(member);
    else if (typeof member === 'object' && member !== null) members[key] = slimmed(member);
  }
}

function slimmed(value: object): object {
  // The parser adds item by item, for which V8 makes room for 17 at first.
  const own = Array.isArray(value) ? value.slice() : value;
  slim(own);
  return own;
}

function sharedText(text: string): string {
  if (text.length > longestShared) return text;
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size === mostShared) shared.clear();
  // What the parser gives is a part of the whole text, which would stay as long as its part.
  const copy: string = JSON.parse(JSON.stringify(text));
  shared.set(copy, copy);
  return copy;
}
