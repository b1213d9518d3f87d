// C0 and C1 controls, marks that turn the direction of text, line separators, and what has no width.
const misleadingCharacter =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const everyMisleading = new RegExp(misleadingCharacter, 'g');

/** Those of JSON and YAML that stand inside quotes alone: line ends and tabs are between the values too. */
const everyQuoted = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Whether a text has a character that `visible` shows as an escape. */
export function isMisleading(text: string): boolean {
  return misleadingCharacter.test(text);
}

/** Control characters and direction marks as escapes: what a policy says must not move the reader's cursor. */
export function visible(text: string): string {
  return text.replaceAll('\t', ' ').replace(everyMisleading, escaped);
}

/** The same for JSON, or YAML that has such characters in double quotes only: the escapes mean the same characters. */
export function visibleInQuotes(text: string): string {
  return text.replace(everyQuoted, escaped);
}

/** `\u009b`, as JSON, YAML in double quotes and people read it. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
