/** A value with a star at one end, or a star alone, covers what begins or ends so. A star elsewhere is a letter. */
export function coversValue(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  if (wide.includes('{') || narrow.includes('{')) return false;
  if (wide === '*') return true;
  if (wide.startsWith('*'))
    return narrow.length >= wide.length && narrow.endsWith(wide.slice(1)) && !narrow.endsWith('*');
  return wide.endsWith('*') && narrow !== '*' && !narrow.startsWith('*') && narrow.startsWith(wide.slice(0, -1));
}

/**
 * Values of a match field, and whether one of them covers another value, as `coversValue` says. An answer costs as many steps as the value asked for has letters, however many values
 * there are.
 */
export class ValueSet {
  readonly #whole: ReadonlySet<string>;
  readonly #prefixes = new Set<string>();
  readonly #suffixes = new Set<string>();
  readonly #isAll: boolean;

  constructor(values: readonly string[]) {
    this.#whole = new Set(values);
    this.#isAll = this.#whole.has('*');
    for (const value of values) {
      if (value.includes('{') || value === '*') continue;
      if (value.startsWith('*')) this.#suffixes.add(value.slice(1));
      else if (value.endsWith('*')) this.#prefixes.add(value.slice(0, -1));
    }
  }

  /** Whether one of the values covers another value; false also where that cannot be told of a template. */
  covers(value: string): boolean {
    if (this.#whole.has(value)) return true;
    if (value.includes('{')) return false;
    return this.#isAll || this.#hasPrefixOf(value) || this.#hasSuffixOf(value);
  }

  #hasPrefixOf(value: string): boolean {
    if (this.#prefixes.size === 0 || value.startsWith('*')) return false;
    for (let end = 0; end <= value.length; end++) if (this.#prefixes.has(value.slice(0, end))) return true;
    return false;
  }

  #hasSuffixOf(value: string): boolean {
    if (this.#suffixes.size === 0 || value.endsWith('*')) return false;
    for (let start = 1; start < value.length; start++) if (this.#suffixes.has(value.slice(start))) return true;
    return false;
  }
}
