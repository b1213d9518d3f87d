import { RE2JS } from 're2js';
import { byteText, lowerCase } from './bytes.ts';

export type StringMatchKind = 'exact' | 'prefix' | 'suffix' | 'contains' | 'regex';

/** One test of a text, as Envoy's `StringMatcher` makes it; what it is given is one character a byte. */
export class StringMatch {
  readonly kind: StringMatchKind;
  /** As it stands in the configuration. */
  readonly value: string;
  readonly ignoresCase: boolean;
  readonly #test: (text: string) => boolean;

  constructor(kind: StringMatchKind, value: string, ignoresCase = false) {
    this.kind = kind;
    this.value = value;
    this.ignoresCase = ignoresCase;
    this.#test = testOf(kind, value, ignoresCase);
  }

  matches(text: string): boolean {
    return this.#test(text);
  }
}

function testOf(kind: StringMatchKind, value: string, ignoresCase: boolean): (text: string) => boolean {
  // Envoy takes a regular expression for the whole text, and knows no other case than its own.
  if (kind === 'regex') return wholeMatch(value);
  const wanted = ignoresCase ? lowerCase(byteText(value)) : byteText(value);
  const compare = comparisons[kind];
  return ignoresCase ? (text) => compare(lowerCase(text), wanted) : (text) => compare(text, wanted);
}

const comparisons = {
  exact: (text: string, wanted: string) => text === wanted,
  prefix: (text: string, wanted: string) => text.startsWith(wanted),
  suffix: (text: string, wanted: string) => text.endsWith(wanted),
  contains: (text: string, wanted: string) => text.includes(wanted),
} as const;

/** RE2 itself: JavaScript's expressions mean other things, and may take exponential time. Compiled at first use. */
function wholeMatch(pattern: string): (text: string) => boolean {
  let compiled: RE2JS | undefined;
  return (text) => {
    compiled ??= RE2JS.compile(byteText(pattern));
    return compiled.matches(text);
  };
}
