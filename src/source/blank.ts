/**
 * Whether a text holds no document at all: blanks, comments and lines `---` or `...` alone. Stops at the first line that
 * says more.
 */
export function isBlankText(text: string): boolean {
  const line = /[^\r\n]*(?:\r?\n|$)/y;
  line.lastIndex = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (line.lastIndex < text.length) {
    const [found = ''] = line.exec(text) ?? [];
    if (found === '') return false;
    if (!/^(?:(?:---|\.\.\.)(?=\s|$))?\s*(?:#|$)/.test(found)) return false;
  }
  return true;
}
