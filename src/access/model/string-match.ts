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
  const test = comparison(kind, wanted);
  return ignoresCase ? (text) => test(lowerCase(text)) : test;
}

function comparison(kind: Exclude<StringMatchKind, 'regex'>, wanted: string): (text: string) => boolean {
  switch (kind) {
    case 'exact':
      return (text) => text === wanted;
    case 'prefix':
      return (text) => text.startsWith(wanted);
    case 'suffix':
      return (text) => text.endsWith(wanted);
    case 'contains':
      return (text) => text.includes(wanted);
  }
}

/** RE2 itself: JavaScript's expressions mean other things, and may take exponential time. Compiled at first use. */
function wholeMatch(pattern: string): (text: string) => boolean {
  let compiled: RE2JS | undefined;
  return (text) => {
    compiled ??= RE2JS.compile(byteText(pattern));
    return compiled.matches(text);
  };
}
