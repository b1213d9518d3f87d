import { utf8 } from '../../lib/utf8.ts';

/**
 * Text as Envoy compares it: one character a byte. Values on the wire may hold bytes that are no UTF-8, so both sides of
 * a comparison are put into this form.
 */
export function byteText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return String.fromCharCode(...utf8(text));
}

/** ASCII letters alone, as Envoy ignores case. */
export function lowerCase(text: string): string {
  return hasCapital(text) ? text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;
}

function hasCapital(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x41 && code <= 0x5a) return true;
  }
  return false;
}
