import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath, SourceSpan } from '../../diagnostics/span.ts';
import { checkValue, type ValueFault } from './check-value.ts';
import { cutDocuments, type DocumentRange } from './cut.ts';
import { disagreement } from './disagreement.ts';
import type { JsonObject, JsonValue, PolicyDocument, SourceFile } from './document.ts';
import { DocumentText, TreeCache } from './document-text.ts';
import { isUsableText } from './file-text.ts';
import { defaultLimits, type SourceLimits } from './limits.ts';
import { itemTexts, listItems } from './list-items.ts';
import { type Loaded, loader, type SyntaxFault } from './load.ts';
import { isRisky } from './risk.ts';

interface Parsing {
  readonly bag: DiagnosticBag;
  readonly limits: SourceLimits;
  readonly load: (text: string) => Loaded;
  readonly trees: TreeCache;
}

/**
 * The objects of the inputs, in the order of the files. A syntax error stops its file, a value that cannot be used
 * stops its document. Positions are found later, on demand; a document that two parsers then read differently is
 * reported to the same bag, so the bag is to be asked again before anything is written.
 */
export function parse(
  files: readonly SourceFile[],
  bag: DiagnosticBag,
  limits: SourceLimits = defaultLimits,
): PolicyDocument[] {
  const parsing: Parsing = { bag, limits, load: loader(limits), trees: new TreeCache() };
  const hadErrors = bag.hasErrors;
  const documents = files.flatMap((file) => parseFile(file, parsing));
  if (documents.length === 0 && !hadErrors && !bag.hasErrors) {
    bag.report('empty-input', undefined, { what: 'the input' });
  }
  return documents;
}

function parseFile(file: SourceFile, parsing: Parsing): PolicyDocument[] {
  if (!isUsableText(file, parsing.bag, parsing.limits)) return [];
  const ranges = cutDocuments(file.text);
  if (ranges.length === 0 && file.path === '-') {
    parsing.bag.report('empty-input', { file: '-', start: 0, end: 0 }, { what: 'standard input' });
  }
  const documents: PolicyDocument[] = [];
  for (const range of ranges) {
    const text = file.text.slice(range.start, range.end);
    const loaded = parsing.load(text);
    if (!loaded.ok) {
      reportSyntax(file, range, loaded.fault, parsing);
      return [];
    }
    const isJson = isSameJson(text, loaded.value);
    const place = { file: file.path, text, offset: range.start, isJson };
    const document = new DocumentText(place, loaded.value, parsing.trees, parsing.bag);
    if (isUsableValue(document, loaded, parsing)) documents.push(...objectsOf(document, loaded.value, parsing));
  }
  return documents;
}

function reportSyntax(file: SourceFile, range: DocumentRange, fault: SyntaxFault, { bag, limits }: Parsing): void {
  const start = range.start + fault.offset;
  const span: SourceSpan = { file: file.path, start, end: start };
  if (fault.code === 'duplicate-key') bag.report(fault.code, span, { key: fault.detail });
  else if (fault.code === 'nesting-too-deep') bag.report(fault.code, span, { limit: String(limits.maxDepth) });
  else if (fault.code === 'tab-indentation') bag.report(fault.code, span, {});
  else bag.report(fault.code, span, { reason: fault.detail });
}

/** JSON needs no second reading of YAML: its own parser is the second opinion. */
function isSameJson(text: string, value: unknown): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return disagreement(value, JSON.parse(text)) === undefined;
  } catch {
    // Flow-style YAML is not JSON; it goes the way of other YAML.
    return false;
  }
}

function isUsableValue(document: DocumentText, loaded: Loaded & { ok: true }, parsing: Parsing): boolean {
  const { faults, doubtfulKeys } = checkValue(loaded.value, document.text.length, loaded.tally, parsing.limits);
  const sizeFault = faults.find(({ code }) => code === 'alias-expansion' || code === 'nesting-too-deep');
  if (sizeFault !== undefined) {
    // A tree of such a document would cost what the limit is there to spare.
    reportValue(sizeFault, document.span(firstContent(document.text)), parsing);
    return false;
  }
  const badKeys = doubtfulKeys.filter((path) => !document.hasTextKey(path));
  for (const path of badKeys) {
    parsing.bag.report('non-string-key', document.rawSpanOf(path, 'key'), { key: keyName(path) });
  }
  if (badKeys.length > 0) return false;
  if (isRisky(document.text) && !document.agrees()) return false;
  for (const fault of faults) reportValue(fault, document.spanOf(fault.path, fault.part), parsing);
  return faults.length === 0;
}

function reportValue(fault: ValueFault, span: SourceSpan, { bag, limits }: Parsing): void {
  if (fault.code === 'alias-expansion') bag.report(fault.code, span, { limit: String(limits.maxAliasNodes) });
  else if (fault.code === 'nesting-too-deep') bag.report(fault.code, span, { limit: String(limits.maxDepth) });
  else if (fault.code === 'non-finite-number') bag.report(fault.code, span, { number: fault.detail });
  else bag.report(fault.code, span, {});
}

function keyName(path: JsonPath): string {
  const key = String(path.at(-1));
  return key === '[object Object]' ? '(a mapping)' : `"${key}"`;
}

function objectsOf(document: DocumentText, value: unknown, parsing: Parsing): PolicyDocument[] {
  if (!isObject(value)) {
    const span = document.span(firstContent(document.text));
    parsing.bag.report('not-an-object', span, { found: describe(value) });
    return [];
  }
  const items = listItems(value);
  if (items === undefined) return [policyDocument(document, [], value, document.span(firstContent(document.text)))];
  const texts = itemTexts(document, items.length);
  return items.flatMap((item, index) => {
    const own = texts?.[index];
    const place = own === undefined ? document : itemText(document, own.range, own.base, item, parsing);
    const base = own?.base ?? ['items', index];
    if (isObject(item)) {
      const start =
        own === undefined ? document.span(firstContent(document.text)) : place.span(firstContent(place.text));
      return [policyDocument(place, base, item, start)];
    }
    parsing.bag.report('not-an-object', place.spanOf(base, 'value'), { found: describe(item) });
    return [];
  });
}

function itemText(
  list: DocumentText,
  range: DocumentRange,
  base: JsonPath,
  item: JsonValue,
  { trees, bag }: Parsing,
): DocumentText {
  const text = list.text.slice(range.start, range.end);
  const place = { file: list.file, text, offset: list.offset + range.start, isJson: list.isJson };
  return new DocumentText(place, base.length === 0 ? item : [item], trees, bag);
}

function policyDocument(text: DocumentText, base: JsonPath, value: JsonObject, start: SourceSpan): PolicyDocument {
  return {
    file: text.file,
    value,
    start,
    spanOf: (path, part = 'value') => text.spanOf([...base, ...path], part),
  };
}

/** Behind the `---` line, comments and blank lines; for an item of a list, behind its "- ". */
function firstContent(text: string): { start: number; end: number } {
  const lead = /---(?=\s)|\s+|#[^\n]*|- +|%[^\n]*\n/y;
  let start = 0;
  while (lead.test(text)) start = lead.lastIndex;
  const line = /^[^\r\n]*/.exec(text.slice(start, start + 200))?.[0] ?? '';
  return { start, end: start + line.trimEnd().length };
}

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
