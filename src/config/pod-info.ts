import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { utf8 } from '../lib/utf8.ts';
import type { SourceFile } from '../source/document.ts';

/**
 * Labels or annotations as the kubelet writes them to a file of the pod, `key="value"` a line in Go's quotes, sorted by
 * key. A line that is none is an error with its place: it may carry configuration.
 */
export function parsePodInfo({ path, text }: SourceFile, bag: DiagnosticBag): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    const key = line.slice(0, Math.max(at, 0)).trim();
    const value = at < 0 ? undefined : unquote(line.slice(at + 1).trim());
    if (key !== '' && value !== undefined) entries.push([key, value]);
    else if (line.trim() !== '') bag.report('invalid-pod-info', { file: path, start, end: start + line.length }, {});
    start += line.length + 1;
  }
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const named: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};
const escapes = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gs;

/** An interpreted string literal (go.dev/ref/spec, "String literals"), whose `\x` and octal escapes are bytes. */
function unquote(literal: string): string | undefined {
  const body = /^"((?:[^"\\]|\\.)*)"$/s.exec(literal)?.[1];
  if (body === undefined) return undefined;
  let isSound = true;
  const bytes: number[] = [];
  const add = (part: Iterable<number>): void => {
    for (const byte of part) bytes.push(byte);
  };
  let from = 0;
  for (const match of body.matchAll(escapes)) {
    const [whole, hex, short, long, octal, letter = ''] = match;
    add(utf8(body.slice(from, match.index)));
    from = match.index + whole.length;
    const point = Number.parseInt(short ?? long ?? '', 16);
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (point <= 0x10ffff) add(utf8(String.fromCodePoint(point)));
    else if (named[letter] !== undefined) add(utf8(named[letter]));
    else isSound = false;
  }
  add(utf8(body.slice(from)));
  return isSound ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes)) : undefined;
}
