import { AsciiSet } from './ascii-set.ts';

const ofToken = new AsciiSet(/[!#$%&'*+\-.^_`|~0-9A-Za-z]/);

/** Whether a text is a `token` of RFC 9110 section 5.6.2, as names of headers and methods are. */
export function isToken(text: string): boolean {
  return text !== '' && ofToken.hasAll(text);
}

/** Whether a text has what no value of a header may have (RFC 9110 section 5.5): a control other than a tab. Above 0x7F all may be. */
export function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if ((unit < 0x20 && unit !== 0x09) || unit === 0x7f) return true;
  }
  return false;
}

/** Whether a text begins or ends with a space or a tab, which are no part of a value (RFC 9110 section 5.5). */
export function hasOuterBlanks(text: string): boolean {
  return isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1));
}

/** A text without the spaces and tabs around it. */
export function withoutOuterBlanks(text: string): string {
  return hasOuterBlanks(text) ? text.replaceAll(/^[ \t]+|[ \t]+$/g, '') : text;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
