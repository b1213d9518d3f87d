import type { JsonPath, SourceSpan } from '../diagnostics/span.ts';
import type { JsonObject, PolicyDocument } from './document.ts';
import type { DocumentText } from './document-text.ts';

/** One object of a text. A list may hold a hundred thousand of them, so each is small and has no closures. */
export class DocumentInText implements PolicyDocument {
  readonly value: JsonObject;
  readonly #text: DocumentText;
  readonly #base: JsonPath;

  constructor(text: DocumentText, base: JsonPath, value: JsonObject) {
    this.value = value;
    this.#text = text;
    this.#base = base;
  }

  get file(): string {
    return this.#text.place.file;
  }

  get isFound(): boolean {
    return this.#text.place.isFound;
  }

  get start(): SourceSpan {
    return this.#text.startOf(this.#base);
  }

  spanOf(path: JsonPath, part: 'key' | 'value' = 'value'): SourceSpan {
    return this.#text.spanOf([...this.#base, ...path], part);
  }
}
