/** So much of somebody else's words is passed on. */
const longest = 256;

/**
 * Somebody else's words as one line that may be shown: `secrets` and whatever else could be a token are left out, the rest
 * is cut at 256 characters.
 */
export function plainWords(text: string, secrets: readonly string[] = []): string {
  const shown = secrets
    .filter((secret) => secret !== '')
    .reduce((words, secret) => words.replaceAll(secret, '[redacted]'), text)
    .replace(/\beyJ[\w-]*(\.[\w-]*)*/g, '[redacted]')
    .replace(/[\w~+/=.-]{20,}/g, (word) => (/\d/.test(word) || word.length >= 40 ? '[redacted]' : word))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ')
    .trim();
  return shown.length > longest ? `${shown.slice(0, longest - 1)}…` : shown;
}
