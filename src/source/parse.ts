import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import { checkValue, type ValueFault } from './check-value.ts';
import { cutDocuments } from './cut.ts';
import { disagreement } from './disagreement.ts';
import type { JsonObject, PolicyDocument, SourceFile } from './document.ts';
import { DocumentInText } from './document-in-text.ts';
import { DocumentText, type PositionSettings } from './document-text.ts';
import { isUsableText } from './file-text.ts';
import { defaultLimits, type SourceLimits } from './limits.ts';
import { itemTexts, listItems } from './list-items.ts';
import { type Loaded, loader } from './load.ts';
import { type Reporting, reportSyntax, reportValue } from './report-fault.ts';
import { slim } from './slim.ts';
import { isTemplate, isTemplateLine } from './template-line.ts';
import { sharedTrees } from './tree-cache.ts';

/** A file with more unusable documents than this is no file of policies; the rest is not looked at. */
const maxReports = 50;

/** Such a document is not looked at any further. */
const sizeFaults: ReadonlySet<ValueFault['code']> = new Set(['alias-expansion', 'nesting-too-deep', 'text-too-long']);

/**
 * Whether a document is of no kind that is read, by its value and text; a list or a scalar has the value `{}`. `isFound` is
 * true for files that were found in a folder.
 */
export type IsSkipped = (value: JsonObject, text: string, isFound: boolean) => boolean;

interface Parsing extends Reporting {
  readonly load: (text: string) => Loaded;
  readonly positions: PositionSettings;
  readonly isSkipped: IsSkipped;
}

/**
 * The objects of the inputs, in the order of the files. A syntax error stops its file, a value that cannot be used
 * stops its document, and so does a text that a second parser reads differently. Positions are found later, on
 * demand, and add nothing to the bag. Of documents that `isSkipped` says are not read, nothing but their syntax is
 * checked.
 */
export function parse(
  files: readonly SourceFile[],
  bag: DiagnosticBag,
  limits: SourceLimits = defaultLimits,
  isSkipped: IsSkipped = () => false,
): PolicyDocument[] {
  const positions: PositionSettings = { trees: sharedTrees, maxTreeNodes: limits.maxTreeNodes };
  const parsing: Parsing = { bag, limits, load: loader(limits), positions, isSkipped };
  return files.flatMap((file) => parseFile(file, parsing));
}

/** Gives back the memory of positions that were asked for; for a process that goes on, after its diagnostics are told. */
export function forgetPositions(): void {
  sharedTrees.forget();
}

function parseFile(file: SourceFile, parsing: Parsing): PolicyDocument[] {
  if (!isUsableText(file, parsing.bag, parsing.limits)) return [];
  const ranges = cutDocuments(file.text);
  const documents: PolicyDocument[] = [];
  const alreadyReported = parsing.bag.all.length;
  for (const range of ranges) {
    if (parsing.bag.all.length - alreadyReported >= maxReports) break;
    const text = file.text.slice(range.start, range.end);
    const loaded = parsing.load(text);
    if (!loaded.ok) {
      reportSyntax(file.path, range.start, loaded.fault, parsing);
      return [];
    }
    const isJson = isSameJson(text, loaded.value);
    const place = { file: file.path, text, offset: range.start, isJson, isFound: file.isFound === true };
    const document = new DocumentText(place, loaded.value, parsing.positions);
    const items = listItems(loaded.value);
    if (items !== undefined) document.splitIntoItems(items, itemTexts(text, isJson, items.length));
    const value = isObject(loaded.value) ? loaded.value : {};
    if (items === undefined && !isListOfObjects(loaded.value) && parsing.isSkipped(value, text, place.isFound)) {
      documents.push(new DocumentInText(document, [], value));
      continue;
    }
    if (!isUsableValue(document, loaded, parsing)) continue;
    if (typeof loaded.value === 'object' && loaded.value !== null) slim(loaded.value);
    for (const object of objectsOf(document, loaded.value, parsing)) documents.push(object);
  }
  return documents;
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
  const { text } = document.place;
  const { faults, doubtfulKeys } = checkValue(loaded.value, text.length, loaded.tally, parsing.limits);
  const sizeFault = faults.find(({ code }) => sizeFaults.has(code));
  if (sizeFault !== undefined) {
    reportValue(sizeFault, document.startOf([]), parsing);
    return false;
  }
  if (doubtfulKeys.length > 0 && !document.isSmall) return reportTooComplex(document, parsing);
  if (hasOddKeys(document, doubtfulKeys, parsing.bag)) return false;
  const { agreement } = document;
  if (agreement.agrees === 'unknown') return reportTooComplex(document, parsing);
  if (!agreement.agrees) {
    if (agreement.isListKey) parsing.bag.report('non-string-key', agreement.span, { key: '(a list)' });
    else parsing.bag.report('parsers-disagree', agreement.span, { difference: agreement.what });
    return false;
  }
  for (const fault of faults) reportValue(fault, document.spanOf(fault.path, fault.part), parsing);
  return faults.length === 0;
}

function reportTooComplex(document: DocumentText, { bag, limits }: Parsing): false {
  bag.report('document-too-complex', document.startOf([]), { limit: String(limits.maxTreeNodes) });
  return false;
}

function hasOddKeys(document: DocumentText, doubtfulKeys: readonly JsonPath[], bag: DiagnosticBag): boolean {
  let hasOdd = false;
  for (const path of doubtfulKeys) {
    const span = document.oddKeyAt(path);
    if (span === undefined) continue;
    hasOdd = true;
    const key = String(path.at(-1));
    const isMapping = key === '[object Object]';
    // Two braces are a mapping that is the key of another one.
    if (isMapping && isTemplateLine(document.place.text, span.start - document.place.offset))
      bag.report('yaml-syntax', span, { reason: isTemplate });
    else bag.report('non-string-key', span, { key: isMapping ? '(a mapping)' : `"${key}"` });
  }
  return hasOdd;
}

/** The object at `base`, or those of the list that stands there. */
function objectsOf(document: DocumentText, value: unknown, parsing: Parsing, base: JsonPath = []): PolicyDocument[] {
  if (!isObject(value)) {
    const span = base.length === 0 ? document.startOf(base) : document.spanOf(base, 'value');
    parsing.bag.report('not-an-object', span, { found: describe(value) });
    return [];
  }
  const items = listItems(value);
  if (items === undefined) return [new DocumentInText(document, base, value)];
  const alreadyReported = parsing.bag.all.length;
  return items.flatMap((item, index) => {
    if (parsing.bag.all.length - alreadyReported >= maxReports) return [];
    return objectsOf(document, item, parsing, [...base, 'items', index]);
  });
}

/** Objects in a bare list are a `kind: List` without its head; other programs' lists hold no objects. */
function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => isObject(item) && 'apiVersion' in item && 'kind' in item);
}

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
