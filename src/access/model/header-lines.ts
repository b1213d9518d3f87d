import { lowerCase } from './bytes.ts';

/** One line: its name, and its value. */
type Line = readonly [name: string, value: string];

const none: readonly string[] = [];
const noLines: readonly Line[] = [];

/**
 * Header lines of a request as a proxy holds them: names in lower case, which all methods expect of theirs, and values with one
 * character a byte.
 */
export class HeaderLines {
  /** Requests and copies share it, unless it is in `#own`, too. */
  #lines: readonly Line[];
  #own: Line[] | undefined;
  readonly #told: Set<string> | undefined;

  /** `lines` stay as they are given. `told`: the only names whose lines are known; absent: all are. */
  constructor(lines: readonly Line[], told?: Iterable<string>) {
    this.#lines = lines.every(isLowerCase) ? lines : lines.map(([name, value]) => [lowerCase(name), value] as const);
    this.#told = told && new Set(told);
  }

  /** All lines of a request, whose names have no capitals. */
  static inLowerCase(lines: readonly Line[]): HeaderLines {
    const all = new HeaderLines(noLines);
    all.#lines = lines;
    return all;
  }

  /** The same lines, which change apart from these. */
  copy(): HeaderLines {
    const copy = new HeaderLines(noLines, this.#told);
    copy.#lines = this.freeze();
    return copy;
  }

  /** Whether it is known which lines of this name there are. */
  isTold(name: string): boolean {
    return this.#told?.has(name) ?? true;
  }

  /** Nothing is known any more of the lines of this name. */
  forget(name: string): void {
    this.#told?.delete(name);
  }

  /** The names whose lines are known; undefined where all are. */
  get told(): readonly string[] | undefined {
    return this.#told && [...this.#told];
  }

  /** Values of all lines of this name; none where it is absent. */
  get(name: string): readonly string[] {
    let found: string[] | undefined;
    for (const line of this.#lines) {
      if (line[0] !== name) continue;
      if (found === undefined) found = [line[1]];
      else found.push(line[1]);
    }
    return found ?? none;
  }

  /** The value of the first line of this name; undefined where it is absent. */
  first(name: string): string | undefined {
    for (const line of this.#lines) if (line[0] === name) return line[1];
    return undefined;
  }

  has(name: string): boolean {
    for (const line of this.#lines) if (line[0] === name) return true;
    return false;
  }

  hasAny(names: ReadonlySet<string>): boolean {
    for (const line of this.#lines) if (names.has(line[0])) return true;
    return false;
  }

  /** One line in place of all of this name. */
  set(name: string, value: string): void {
    this.delete(name);
    this.add(name, value);
  }

  add(name: string, value: string): void {
    if (this.#own === undefined) {
      // Faster than a spread, after which the list would have to grow.
      this.#own = [];
      for (const line of this.#lines) this.#own.push(line);
      this.#lines = this.#own;
    }
    this.#own.push([name, value]);
  }

  delete(name: string): void {
    this.#told?.add(name);
    if (!this.has(name)) return;
    this.#own = this.#lines.filter((line) => line[0] !== name);
    this.#lines = this.#own;
  }

  /** One line of all lines of a name, where something is given that joins their values. */
  merge(joinOf: (name: string) => ((values: readonly string[]) => string) | undefined): void {
    if (!hasNameTwice(this.#lines)) return;
    const merged = new Map<string, string[]>();
    for (const [name, value] of this.#lines) {
      if (joinOf(name) === undefined) continue;
      const values = merged.get(name);
      if (values === undefined) merged.set(name, [value]);
      else values.push(value);
    }
    for (const [name, values] of merged) {
      const join = values.length > 1 ? joinOf(name) : undefined;
      if (join !== undefined) this.set(name, join(values));
    }
  }

  /** The lines as they are now: what is changed later is changed in a list of its own. */
  freeze(): readonly Line[] {
    this.#own = undefined;
    return this.#lines;
  }
}

/** Most requests have few lines, and each name once. */
function hasNameTwice(lines: readonly Line[]): boolean {
  if (lines.length > 24) return new Set(lines.map(([name]) => name)).size < lines.length;
  for (let i = 1; i < lines.length; i++) {
    const name = lines[i]?.[0];
    for (let j = 0; j < i; j++) if (lines[j]?.[0] === name) return true;
  }
  return false;
}

function isLowerCase(line: Line): boolean {
  return lowerCase(line[0]) === line[0];
}
