/** Characters that a segment may have under an operator, as the real Envoy takes them. */
const segmentCharacter = "[a-zA-Z0-9\\-._~%!$&'()*+,;:@=]";

/** A path template: `*` is one segment, `**` any rest; other text stands for itself. Variables are not understood. */
export class UriTemplate {
  readonly text: string;
  readonly #pattern: RegExp;

  constructor(text: string) {
    this.text = text;
    const pattern = text.split(/(\*\*|\*)/).map((part) => {
      if (part === '**') return `(?:${segmentCharacter}|/)*`;
      return part === '*' ? `${segmentCharacter}+` : part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    });
    this.#pattern = new RegExp(`^${pattern.join('')}$`, 's');
  }

  /** The path without its query. */
  matches(path: string): boolean {
    return this.#pattern.test(path);
  }
}
