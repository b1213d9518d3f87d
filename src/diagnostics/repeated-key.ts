/** A key that stands twice in one object of a JSON text, and where it stands the second time. */
export interface RepeatedKey {
  readonly key: string;
  readonly start: number;
}

/**
 * The first key that stands twice in one object: `JSON.parse` takes the last of them without a word, other readers the
 * first, and protobuf's none. `text` must be valid JSON. One pass.
 */
export function repeatedKey(text: string): RepeatedKey | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (keys !== undefined && isKey(text, end)) {
        const key: string = JSON.parse(text.slice(at, end));
        if (keys.has(key)) return { key, start: at };
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/**
 * False where no key of the text, whose value is `value`, can stand twice: without spaces before colons it has at least as many
 * `":` as keys, so if these are as many as the keys of the value, each stands once. It costs a fifth of `repeatedKey`.
 */
export function mayRepeatKey(text: string, value: object): boolean {
  if (/"\s+:/.test(text)) return true;
  let ends = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) ends++;
  return ends !== keysIn(value);
}

function keysIn(value: object): number {
  const values = Object.values(value);
  let count = Array.isArray(value) ? 0 : values.length;
  for (const inner of values) if (typeof inner === 'object' && inner !== null) count += keysIn(inner);
  return count;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** A colon follows a key, and no other text. */
function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text[at] === ':';
}
