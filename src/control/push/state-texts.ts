import { cutDocuments, type DocumentRange } from '../../source/cut.ts';
import type { JsonObject, SourceFile } from '../../source/document.ts';

/** An object, and where it stands. */
interface Placed {
  readonly kind: string;
  readonly document: { readonly file: string; readonly value: JsonObject; readonly start: { readonly start: number } };
}

/**
 * Texts of valid objects for the state file: without Secrets, other private keys, and text outside objects. Each object stays
 * on its line. Each text is processed once.
 */
export class StateTexts {
  #kept: ReadonlyMap<string, { readonly text: string; readonly result: SourceFile }> = new Map();

  of(files: readonly SourceFile[], objects: readonly Placed[]): readonly SourceFile[] {
    const byFile = new Map<string, Placed[]>();
    for (const object of objects) {
      const own = byFile.get(object.document.file) ?? [];
      if (own.push(object) === 1) byFile.set(object.document.file, own);
    }
    const next = new Map<string, { readonly text: string; readonly result: SourceFile }>();
    for (const file of files) {
      const { path, text } = file;
      const known = this.#kept.get(path);
      const result =
        known?.text === text ? known.result : { ...file, text: withoutSecrets(text, byFile.get(path) ?? []) };
      next.set(path, { text, result });
    }
    this.#kept = next;
    return [...next.values()].map(({ result }) => result);
  }
}

function withoutSecrets(text: string, objects: readonly Placed[]): string {
  const ranges = cutDocuments(text);
  const inRange = new Map<DocumentRange, Placed[]>();
  for (const object of objects) {
    const at = object.document.start.start;
    const range = ranges.find(({ start, end }) => start <= at && at < end);
    if (range !== undefined) inRange.set(range, [...(inRange.get(range) ?? []), object]);
  }
  const parts: string[] = [];
  let at = 0;
  for (const range of ranges) {
    parts.push(lines(text.slice(at, range.start)), publicText(text.slice(range.start, range.end), inRange.get(range)));
    at = range.end;
  }
  return parts.join('') + lines(text.slice(at));
}

const privateKey = /PRIVATE KEY/;
/** What a list cannot be written without. */
const listLike = /items|\\[xu]/i;

/** A list may hold what is no sound object: of a text that may be one, the objects alone. */
function publicText(text: string, objects: readonly Placed[] = []): string {
  const values = objects.filter(({ kind }) => kind !== 'Secret').map(({ document }) => document.value);
  if (values.length === 0) return lines(text);
  if (values.length === objects.length && !listLike.test(text) && !privateKey.test(text)) return text;
  const safe = values.filter((value) => !privateKey.test(JSON.stringify(value)));
  const [lead = ''] = /^(?:---)?\s*/.exec(text) ?? [];
  const list = JSON.stringify(safe.length === 1 ? safe[0] : { apiVersion: 'v1', kind: 'List', items: safe });
  return `${lead}${list}${lines(text.slice(lead.length)) || '\n'}`;
}

/** Nothing but its ends of lines. */
function lines(text: string): string {
  return text.replaceAll(/[^\n]+/g, '');
}
