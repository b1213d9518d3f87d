/** Control characters and direction marks as escapes: what a policy says must not move the reader's cursor. */
export function visible(text: string): string {
  return text.replaceAll('\t', ' ').replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
