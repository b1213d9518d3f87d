/** Header lines of a request as a proxy holds them: names in lower case, values with one character a byte. */
export class HeaderLines {
  #lines: (readonly [name: string, value: string])[];

  constructor(lines: Iterable<readonly [name: string, value: string]>) {
    this.#lines = Array.from(lines, ([name, value]) => [name.toLowerCase(), value]);
  }

  /** Values of all lines of this name; none where it is absent. */
  get(name: string): readonly string[] {
    return this.#lines.filter(([one]) => one === name).map(([, value]) => value);
  }

  has(name: string): boolean {
    return this.#lines.some(([one]) => one === name);
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
    this.#lines = this.#lines.filter(([one]) => one !== name);
  }

  get entries(): readonly (readonly [name: string, value: string])[] {
    return this.#lines;
  }
}
