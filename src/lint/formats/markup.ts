/** Text inside XML or HTML, attributes included; characters that XML 1.0 cannot have become escapes as in JSON. */
export function escapeMarkup(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, (character) => {
        return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
      })
  );
}
