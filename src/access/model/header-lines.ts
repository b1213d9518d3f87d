const none: readonly string[] = [];

/** Header lines of a request as a proxy holds them: names in lower case, values with one character a byte. */
export class HeaderLines {
  #lines: (readonly [name: string, value: string])[] = [];
  readonly #told: Set<string> | undefined;

  /** `told`: the only names whose lines are known; absent: all are. */
  constructor(lines: Iterable<readonly [name: string, value: string]>, told?: Iterable<string>) {
    for (const [name, value] of lines) this.add(name, value);
    this.#told = told && new Set(told);
  }

  /** The same lines, which change apart from these. */
  copy(): HeaderLines {
    const copy = new HeaderLines([], this.#told);
    copy.#lines = [...this.#lines];
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
    for (const [one, value] of this.#lines) {
      if (one !== name) continue;
      if (found === undefined) found = [value];
      else found.push(value);
    }
    return found ?? none;
  }

  has(name: string): boolean {
    for (const [one] of this.#lines) if (one === name) return true;
    return false;
  }

  /** One line in place of all of this name. */
  set(name: string, value: string): void {
    this.delete(name);
    this.add(name, value);
  }

  add(name: string, value: string): void {
    this.#lines.push([name.toLowerCase(), value]);
  }

  delete(name: string): void {
    this.#told?.add(name);
    if (this.has(name)) this.#lines = this.#lines.filter(([one]) => one !== name);
  }

  get entries(): readonly (readonly [name: string, value: string])[] {
    return this.#lines;
  }
}
