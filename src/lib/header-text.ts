/** Whether a text is a `token` of RFC 9110 section 5.6.2, as names of headers and methods are. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/** Whether a text has what no value of a header may have (RFC 9110 section 5.5): a control other than a tab. Above 0x7F all may be. */
export function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if ((unit < 0x20 && unit !== 0x09) || unit === 0x7f) return true;
  }
  return false;
}
