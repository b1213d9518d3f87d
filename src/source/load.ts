import yaml from 'js-yaml';
import { coreSchema, type ScalarTally } from './core-schema.ts';
import type { SourceLimits } from './limits.ts';
import { isTemplate, isTemplateLine } from './template-line.ts';

/** A document's value as the fast parser reads it, or why it cannot. */
export type Loaded =
  | { readonly ok: true; readonly value: unknown; readonly tally: ScalarTally }
  | { readonly ok: false; readonly fault: SyntaxFault };

export interface SyntaxFault {
  readonly code: 'yaml-syntax' | 'duplicate-key' | 'tab-indentation' | 'nesting-too-deep';
  /** In the words of the message; for `duplicate-key` the key. */
  readonly detail: string;
  /** Offset into the document's text. */
  readonly offset: number;
  /** Characters that are at fault; 0 when only the place is known. */
  readonly length: number;
}

const known = new WeakMap<SourceLimits, (text: string) => Loaded>();

/** A function that reads documents one by one; its schema is built once for the same limits. */
export function loader(limits: SourceLimits): (text: string) => Loaded {
  const load = known.get(limits) ?? createLoader(limits);
  known.set(limits, load);
  return load;
}

function createLoader(limits: SourceLimits): (text: string) => Loaded {
  const tally: ScalarTally = { words: 0, oddNumbers: 0 };
  const options = { schema: coreSchema(tally), maxDepth: limits.maxDepth + 2 };
  return (text) => {
    tally.words = 0;
    tally.oddNumbers = 0;
    try {
      return { ok: true, value: yaml.load(text, options), tally: { ...tally } };
    } catch (thrown) {
      if (!(thrown instanceof yaml.YAMLException)) throw thrown;
      return { ok: false, fault: explain(thrown, text) };
    }
  };
}

function explain(thrown: yaml.YAMLException, text: string): SyntaxFault {
  const offset = Math.min(thrown.mark?.position ?? 0, text.length);
  const reason = thrown.reason;
  if (reason === 'duplicated mapping key') {
    const { key, length } = keyAt(text, offset);
    return { code: 'duplicate-key', detail: key, offset, length };
  }
  if (reason.startsWith('nesting exceeded')) return { code: 'nesting-too-deep', detail: '', offset, length: 0 };
  const tab = tabOfIndentation(text, offset);
  if (tab !== undefined) return { code: 'tab-indentation', detail: '', offset: tab, length: 1 };
  return { code: 'yaml-syntax', detail: detailOf(reason, text, offset), offset, length: 0 };
}

function detailOf(reason: string, text: string, offset: number): string {
  if (isTemplateLine(text, offset)) return isTemplate;
  // JSON objects one after the other, as tools write them line by line.
  const isSecond = text[offset] === '{' && /[}\]]\s*$/.test(text.slice(Math.max(0, offset - 1_000), offset));
  if (isSecond) return 'a second object begins here; put a line "---" before it';
  const bracketed = reason === 'missed comma between flow collection entries' ? bracketedWord(text, offset) : undefined;
  return bracketed === undefined ? ownWords(reason) : `between braces or brackets, write '${bracketed}' in quotes`;
}

/** A word with brackets, such as `request.headers[x-user]`, at which the parser stopped: between braces a bracket begins a list. */
function bracketedWord(text: string, offset: number): string | undefined {
  const start = Math.max(text.lastIndexOf('\n', offset - 1) + 1, offset - 200);
  const line = /^[^\r\n]*/.exec(text.slice(start, offset + 200))?.[0] ?? '';
  for (const { 0: word, index } of line.matchAll(/[\w.@/-]+\[[^\]\s]*\]/g)) {
    if (index <= offset - start && offset - start <= index + word.length) return word;
  }
  return undefined;
}

/** The key that begins at `offset`, without its quotes, and its length with them. */
function keyAt(text: string, offset: number): { readonly key: string; readonly length: number } {
  const line = /^[^\r\n]*/.exec(text.slice(offset, offset + 200))?.[0] ?? '';
  const written = /^"(?:[^"\\]|\\.)*"|^'[^']*'|^.*?(?=\s*(?::(?:\s|$)|$))/.exec(line)?.[0] ?? '';
  return { key: written.replace(/^(["'])(.*)\1$/, '$2'), length: written.length };
}

/** The parser stops at the first character that makes no sense, which stands behind the tab that is the cause. */
function tabOfIndentation(text: string, offset: number): number | undefined {
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  const before = /^[ ]*\t/.exec(text.slice(lineStart, offset + 1));
  return before === null ? undefined : lineStart + before[0].length - 1;
}

const words: Readonly<Record<string, string>> = {
  'bad indentation of a mapping entry': 'this line is indented unlike the keys above it, or a ":" is missing',
  'bad indentation of a sequence entry': 'this line is indented unlike the "- " entries above it',
  'end of the stream or a document separator is expected': 'this does not belong to what stands above it',
  'can not read a block mapping entry; a multiline key may not be an implicit key': 'a key has no ":"',
  'can not read an implicit mapping pair; a colon is missed': 'a ":" is missing after the key',
  'unexpected end of the stream within a double quoted scalar': 'a closing " is missing',
  'unexpected end of the stream within a single quoted scalar': "a closing ' is missing",
  'unexpected end of the document within a double quoted scalar': 'a closing " is missing before this line',
  'unexpected end of the document within a single quoted scalar': "a closing ' is missing before this line",
  'unexpected end of the stream within a flow collection': 'a closing "]" or "}" is missing',
  'missed comma between flow collection entries': 'a "," or a closing "]" or "}" is missing',
  'unknown escape sequence': 'unknown escape after a backslash',
  'expected hexadecimal character': 'hexadecimal digits must follow \\x, \\u and \\U',
  'the stream contains non-printable characters': 'a control character',
  'expected valid JSON character': 'a control character inside quotes',
  'missing indentation for block scalar': 'the text after | or > must be indented',
};

function ownWords(reason: string): string {
  return words[reason] ?? reason.replace(/!<([^>]*)>/, '"$1"');
}
