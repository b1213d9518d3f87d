/** What a text is, which decides what its neighbours look like. */
export type TextKind = 'text' | 'path' | 'method' | 'host';

const filling: Readonly<Record<TextKind, string>> = {
  text: 'example',
  path: 'example',
  method: 'GET',
  host: 'example',
};

/** A text that a value of a rule matches: `*` at one end and `{*}` in a path stand for a word. */
export function textFor(value: string, kind: TextKind): string {
  return sendable(matchingText(value, kind), kind);
}

function matchingText(value: string, kind: TextKind): string {
  const word = filling[kind];
  if (value === '*') return kind === 'path' ? `/${word}` : word;
  const filled = value.replaceAll('{**}', `${word}/${word}`).replaceAll('{*}', word);
  if (filled.startsWith('*')) return `${kind === 'path' ? '/' : ''}${word}${filled.slice(1)}`;
  return filled.endsWith('*') ? `${filled.slice(0, -1)}${word}` : filled;
}

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];

/** Texts near to what the values match, of which none is in the list itself; those that match by a pattern come last. */
export function textsBeside(values: readonly string[], kind: TextKind): readonly string[] {
  if (kind === 'method') return methods.filter((method) => !values.includes(method));
  const near = values.flatMap((value) => {
    const bare = value.replaceAll(/\{\*\*?\}|\*/g, '');
    if (kind === 'host') return [`other.${bare.replace(/^[.]/, '')}`];
    return [`${bare}x`, bare.slice(0, -1)];
  });
  const far = { path: ['/', '/other'], host: ['other.example.com'], text: ['other'] }[kind];
  const isSound = (text: string): boolean => (kind === 'path' ? text.startsWith('/') : text.trim() !== '');
  const all = [...new Set([...near, ...far])].filter((text) => isSound(text) && !values.includes(text));
  const isMet = (text: string): boolean => values.some((value) => isMetBy(value, text));
  return [...all.filter((text) => !isMet(text)), ...all.filter(isMet)].map((text) => sendable(text, kind));
}

/** A path goes over the wire in ASCII, as rules compare it: Envoy refuses a request with another character. */
function sendable(text: string, kind: TextKind): string {
  return kind === 'path' ? text.replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent) : text;
}

/** By `*`, or with `*` at one end. */
function isMetBy(value: string, text: string): boolean {
  if (value.endsWith('*')) return text.startsWith(value.slice(0, -1));
  return value.startsWith('*') && text.endsWith(value.slice(1));
}
