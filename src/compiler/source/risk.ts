/**
 * Forms that YAML parsers are known to read differently; found by generating documents and comparing. A document that
 * holds one is read by both parsers at once. Strings that only look like such a form cost time, nothing else.
 */
const risks: readonly RegExp[] = [
  /** Anchors, aliases, tags. */
  /(?:^|[\s,[{:?-])[&*!]/m,
  /** Explicit keys, empty keys, and collections as keys. */
  /(?:^|[\s,[{-])\?(?:[\s,[{]|$)|(?:^|[\s,[{-]):(?:\s|$)|[\]}]\s*:/m,
  /** Directives. */
  /^%/m,
  /** A document marker without the white space after it. */
  /^---[^\s]/m,
  /** Tabs that may be indentation or stand where separation is looked for. */
  /\t/,
  /** A comment without white space before it. */
  /["'\]}]#/,
  /** Block scalars with an indentation indicator, kept line ends, or an empty first line. */
  /[|>][-+]*[1-9]|[|>][1-9]*\+|[|>][-+]*[ ]*(?:#[^\n]*)?\r?\n[ ]*\r?\n/,
  /** Flow collections over several lines. */
  /[[{,][ ]*(?:#[^\n]*)?\r?\n/,
];

/** Both parsers must read this document before its value is believed. */
export function isRisky(text: string): boolean {
  return risks.some((risk) => risk.test(text));
}
