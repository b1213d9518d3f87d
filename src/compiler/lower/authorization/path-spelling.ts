import { quoteRegex } from './pattern.ts';

/** RFC 3986, section 2.3, and the slash: Envoy leaves these as they are, and makes them of their escaped forms. */
const settled = /^[A-Za-z0-9\-._~/]*$/;

/**
 * RE2 for a path in every spelling that Envoy's normalization leaves and an application takes for the same: any other
 * character comes as it is or escaped, in hex of either case (`/@me` and `/%40me`), and `%40` of the rule means the
 * same. Undefined for a text of which there is one spelling only.
 */
export function spelledPath(text: string): string | undefined {
  if (settled.test(text)) return undefined;
  const parts = text.match(/%[0-9a-f]{2}|[\s\S]/giu) ?? [];
  return parts.map((part) => (settled.test(part) ? quoteRegex(part) : spellings(part))).join('');
}

function spellings(part: string): string {
  const isEscaped = part.length === 3 && part.startsWith('%');
  const bytes = isEscaped ? [Number.parseInt(part.slice(1), 16)] : [...new TextEncoder().encode(part)];
  const [byte = 0] = bytes;
  const plain = isEscaped ? String.fromCharCode(byte) : part;
  const escaped = bytes.map(escapedByte).join('');
  // What is no printable character comes escaped only; of a backslash Envoy makes a slash.
  if (byte < 0x20 || byte === 0x7f || (isEscaped && byte > 0x7f)) return escaped;
  return `(?:${[quoteRegex(plain), escaped, ...(plain === '\\' ? ['/'] : [])].join('|')})`;
}

function escapedByte(byte: number): string {
  const hex = byte.toString(16).padStart(2, '0');
  return `%${hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`;
}
