/**
 * The files that a page prints, by the name in the comment on their first line (`# /etc/mesh/config/mesh`): what readers are
 * told to write is what runs.
 */
export class PrintedFiles {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(page: string) {
    const blocks = page.matchAll(/^```\w+\n# (\S+)\n([\s\S]*?)^```$/gm);
    this.#texts = new Map([...blocks].map(([, name = '', text = '']) => [name, text]));
  }

  /** Throws when the page prints no such file. */
  text(name: string): string {
    const text = this.#texts.get(name);
    if (text === undefined)
      throw new Error(`the page prints no file "${name}", only ${[...this.#texts.keys()].join(', ')}`);
    return text;
  }
}
