import type { JsonPath } from '../diagnostics/span.ts';
import type { ScalarTally } from './core-schema.ts';
import type { SourceLimits } from './limits.ts';

/** What makes a value unusable though its text is good YAML. */
export interface ValueFault {
  readonly code:
    | 'alias-expansion'
    | 'half-surrogate-pair'
    | 'merge-key'
    | 'nesting-too-deep'
    | 'non-finite-number'
    | 'text-too-long';
  readonly path: JsonPath;
  readonly part: 'key' | 'value';
  /** The number or key in question. */
  readonly detail: string;
}

/** The outcome of one walk over a document's value. */
export interface ValueCheck {
  readonly faults: readonly ValueFault[];
  /** Paths of keys that may not have been written as strings; only the positions' parser can tell. */
  readonly doubtfulKeys: readonly JsonPath[];
}

/** More faults than this in one document are one fault told often. */
const maxFaults = 20;

const words = new Set(['true', 'false']);
const numberText = /^[-+]?(?:[0-9.]+(?:e[-+]?[0-9]+)?|Infinity|NaN)$/;

/**
 * Walks a value as its aliases expand it. Stops at the first fault of size, so that it costs no more than the limits
 * allow. Integer keys in plain decimal (`portLevelMtls: {8080: …}`) count as strings, as Kubernetes reads them.
 */
export function checkValue(value: unknown, textLength: number, tally: ScalarTally, limits: SourceLimits): ValueCheck {
  const faults: ValueFault[] = [];
  const doubtfulKeys: JsonPath[] = [];
  const path: (string | number)[] = [];
  let budget = textLength + limits.maxAliasNodes;
  const fault = (code: ValueFault['code'], part: ValueFault['part'], detail = ''): void => {
    faults.push({ code, path: [...path], part, detail });
  };
  const visitKey = (key: string): void => {
    if (key.length > limits.maxTextLength) fault('text-too-long', 'key');
    else if (key === '<<') fault('merge-key', 'key');
    else if (!isWellFormed(key)) fault('half-surrogate-pair', 'key');
    else if (isDoubtful(key, tally)) doubtfulKeys.push([...path]);
  };
  const enter = (key: string | number, child: unknown): boolean => {
    path.push(key);
    if (typeof key === 'string') visitKey(key);
    const goesOn = visit(child);
    path.pop();
    return goesOn;
  };
  const visit = (node: unknown): boolean => {
    if (faults.length + doubtfulKeys.length >= maxFaults) return false;
    if (--budget < 0) {
      fault('alias-expansion', 'value');
      return false;
    }
    if (typeof node === 'string') {
      if (node.length > limits.maxTextLength) fault('text-too-long', 'value');
      else if (!isWellFormed(node)) fault('half-surrogate-pair', 'value');
    }
    if (typeof node === 'number' && !Number.isFinite(node)) fault('non-finite-number', 'value', String(node));
    if (typeof node !== 'object' || node === null) return true;
    if (path.length >= limits.maxDepth) {
      fault('nesting-too-deep', 'value');
      return false;
    }
    if (Array.isArray(node)) return node.every((item, index) => enter(index, item));
    return Object.keys(node).every((key) => enter(key, (node as Record<string, unknown>)[key]));
  };
  visit(value);
  return { faults, doubtfulKeys };
}

type WellFormedString = string & { isWellFormed(): boolean };

function isWellFormed(text: string): boolean {
  return (text as WellFormedString).isWellFormed();
}

/** Values and keys in `value`, aliases written out; stops counting at `limit`. */
export function countNodes(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const child of Object.values(value)) {
    count += 1 + countNodes(child, limit - count);
    if (count >= limit) return limit;
  }
  return count;
}

/** `8080:` and `"8080":` are alike to everybody; `0x10:` (read as 16), `true:` and `~:` are not. */
function isDoubtful(key: string, tally: ScalarTally): boolean {
  if (key === 'null' || key === '[object Object]' || (tally.words > 0 && words.has(key))) return true;
  return tally.oddNumbers > 0 && numberText.test(key);
}
