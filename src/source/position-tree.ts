import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type ParsedNode,
  parseDocument,
} from 'yaml';
import type { JsonPath, OffsetRange } from '../diagnostics/span.ts';

/** The slow parser's reading of one document: knows where everything stands. */
export interface PositionTree {
  /** The value as this parser reads it; undefined when it finds the text faulty, with its reason. */
  readonly reading:
    | { readonly json: unknown }
    | { readonly fault: string; readonly offset: number }
    /** A list that is a key: the fast parser makes text of it that other keys have too. */
    | { readonly listKey: OffsetRange };
  /** The deepest node that exists on `path`, or its key. */
  rangeOf(path: JsonPath, part: 'key' | 'value'): OffsetRange;
  /** The key at the end of `path` is a string, or an integer in plain decimal. */
  hasTextKey(path: JsonPath): boolean;
}

/** Reads one document for positions. Costs about ten times the fast parser; duplicate keys are not looked for. */
export function positionTree(text: string): PositionTree {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const error = document.errors[0];
  const root = document.contents;
  const anchors = anchorsOf(root);
  return {
    reading: error === undefined ? readingOf(root) : { fault: error.message, offset: error.pos[0] },
    rangeOf: (path, part) => rangeOf(root, anchors, path, part),
    hasTextKey: (path) => {
      const { pair, isWhole } = follow(root, anchors, path);
      const key = pair?.key;
      if (!isWhole || !isScalar(key)) return false;
      return typeof key.value === 'string' || (typeof key.value === 'number' && String(key.value) === key.source);
    },
  };
}

/** The library's own conversion looks through the whole document for every alias; this one does not. */
function readingOf(root: ParsedNode | null): PositionTree['reading'] {
  const anchors = new Map<string, unknown>();
  let unknownAlias: OffsetRange | undefined;
  let listKey: OffsetRange | undefined;
  const convert = (node: unknown): unknown => {
    if (isAlias(node)) {
      if (!anchors.has(node.source)) unknownAlias ??= rangeOfNode(node);
      return anchors.get(node.source);
    }
    if (isScalar(node)) return keep(node, node.value);
    if (isSeq(node)) {
      const list: unknown[] = keep(node, []);
      for (const item of node.items) list.push(convert(item));
      return list;
    }
    if (!isMap(node)) return null;
    const mapping: Record<string, unknown> = keep(node, {});
    for (const { key, value } of node.items) {
      const made = isScalar(key) ? keep(key, key.value) : convert(key);
      if (Array.isArray(made)) listKey ??= rangeOfNode(key);
      const name = typeof made === 'object' && made !== null ? '[object Object]' : String(made);
      // Plain assignment of "__proto__" would set the prototype.
      Object.defineProperty(mapping, name, {
        value: convert(value),
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
    return mapping;
  };
  const keep = <T>(node: { anchor?: string | undefined }, value: T): T => {
    if (node.anchor !== undefined) anchors.set(node.anchor, value);
    return value;
  };
  const json = convert(root);
  if (unknownAlias !== undefined) return { fault: 'alias before its anchor', offset: unknownAlias.start };
  return listKey === undefined ? { json } : { listKey };
}

function rangeOfNode(node: unknown): OffsetRange {
  const [start, end] = (node as Node).range ?? [0, 0];
  return { start, end };
}

interface Place {
  readonly node: ParsedNode | null;
  /** The pair whose value `node` is, for members of mappings. */
  readonly pair: Pair<unknown, unknown> | undefined;
  /** The path was followed to its end. */
  readonly isWhole: boolean;
}

/** Goes down `path` as far as it exists. */
function follow(root: ParsedNode | null, anchors: ReadonlyMap<string, ParsedNode>, path: JsonPath): Place {
  let place: Place = { node: root, pair: undefined, isWhole: true };
  for (const step of path) {
    const node = isAlias(place.node) ? anchors.get(place.node.source) : place.node;
    if (isMap(node)) {
      const pair = node.items.find((item) => keyText(item.key) === String(step));
      if (pair === undefined) return { ...place, isWhole: false };
      place = { node: (pair.value ?? null) as ParsedNode | null, pair, isWhole: true };
    } else if (isSeq(node)) {
      const item = typeof step === 'number' ? node.items[step] : undefined;
      if (item === undefined) return { ...place, isWhole: false };
      place = { node: item as ParsedNode, pair: undefined, isWhole: true };
    } else return { ...place, isWhole: false };
  }
  return place;
}

function rangeOf(
  root: ParsedNode | null,
  anchors: ReadonlyMap<string, ParsedNode>,
  path: JsonPath,
  part: 'key' | 'value',
): OffsetRange {
  const { node, pair } = follow(root, anchors, path);
  const key = pair?.key as Node | undefined;
  const wanted = part === 'key' ? (key ?? node) : isWritten(node) ? node : (key ?? node);
  const range = wanted?.range;
  return range === undefined || range === null ? { start: 0, end: 0 } : { start: range[0], end: range[1] };
}

/** An empty value has no text of its own; its key is the place to show. */
function isWritten(node: ParsedNode | null): node is ParsedNode {
  return node !== null && node.range[1] > node.range[0];
}

function keyText(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

/**
 * Later anchors of one name win over earlier ones; the values were compared, so a wrong place is the worst that can come
 * of it.
 */
function anchorsOf(root: ParsedNode | null): ReadonlyMap<string, ParsedNode> {
  const anchors = new Map<string, ParsedNode>();
  const visit = (node: unknown): void => {
    if (isAlias(node) || !(isScalar(node) || isCollection(node))) return;
    if (node.anchor !== undefined) anchors.set(node.anchor, node as ParsedNode);
    if (isMap(node)) for (const pair of node.items) visit(pair.value);
    else if (isSeq(node)) for (const item of node.items) visit(item);
  };
  visit(root);
  return anchors;
}
