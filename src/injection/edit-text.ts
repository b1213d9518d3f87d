import {
  type CollectionTag,
  type Document,
  isAlias,
  isCollection,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type ScalarTag,
  type Tags,
  visit,
} from 'yaml';
import type { JsonPath } from '../diagnostics/span.ts';
import type { JsonValue } from '../source/document.ts';
import type { PatchOperation } from './patch.ts';

/** Changes of one object of a document: of the pod that stands at `path`. */
export interface PodEdit {
  readonly path: JsonPath;
  readonly operations: readonly PatchOperation[];
}

/**
 * The text of one YAML document after changes: its comments, its order and what is not changed stay. What is written in flow
 * style around a change becomes block style, and aliases become what they stand for.
 */
export function editText(text: string, edits: readonly PodEdit[]): string {
  const document = parseDocument(text, { customTags: withWrittenNumbers });
  withoutAliases(document);
  for (const { path, operations } of edits) {
    for (const operation of operations) apply(document, [...path, ...stepsOf(operation.path)], operation);
  }
  return document.toString({
    lineWidth: 0,
    flowCollectionPadding: /[{[] /.test(text),
    // Whether lists stand below their keys or right of them.
    indentSeq: !/^( *)(?:- )?[\w"'][^\n]*:[ ]*\n\1- /m.test(text),
  });
}

function apply(document: Document, path: JsonPath, operation: PatchOperation): void {
  const holderPath = path.slice(0, -1);
  const holder = document.getIn(holderPath, true);
  if (!isCollection(holder)) throw new Error(`there is no ${holderPath.join('.')} in the document`);
  for (let depth = 0; depth <= holderPath.length; depth += 1) {
    const around = document.getIn(holderPath.slice(0, depth), true);
    if (isCollection(around)) around.flow = false;
  }
  const last = path.at(-1) as string | number;
  if (operation.op === 'remove') holder.delete(last);
  else if (operation.op === 'add' && isSeq(holder))
    holder.items.splice(Number(last), 0, nodeOf(document, operation.value));
  else holder.set(last, nodeOf(document, operation.value));
}

/** Numbers in a path may be keys of a mapping: the collection that they lead into decides. */
function stepsOf(pointer: string): JsonPath {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** Words that other readers of YAML (1.1, as kubectl's) take for something else than text. */
const odd = /^(?:[-+.\d~]|(?:y|n|yes|no|on|off|true|false|null)$)/i;

function nodeOf(document: Document, value: JsonValue): Node {
  const node = document.createNode(value, { aliasDuplicateObjects: false });
  visit(node as Node, {
    Scalar: (_, scalar) => {
      if (isScalar(scalar) && typeof scalar.value === 'string' && odd.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return node as Node;
}

/** A change of what an alias stands for would be one in two places. */
function withoutAliases(document: Document): void {
  let hasAny = false;
  visit(document, {
    Alias: (_, alias) => {
      hasAny = true;
      return alias.resolve(document)?.clone() as Node | undefined;
    },
  });
  if (!hasAny) return;
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) delete node.anchor;
    },
  });
}

/** Numbers as they are written: `0644` is another number for a reader of YAML 1.1, as kubectl's. */
function withWrittenNumbers(tags: Tags): Tags {
  return tags.map((tag) => {
    if (typeof tag !== 'object' || !isScalarTag(tag) || !/:(?:int|float)$/.test(tag.tag)) return tag;
    const { stringify } = tag;
    const written: ScalarTag['stringify'] = (node, ...rest) =>
      node.source ?? stringify?.(node, ...rest) ?? String(node.value);
    return { ...tag, stringify: written };
  });
}

function isScalarTag(tag: ScalarTag | CollectionTag): tag is ScalarTag {
  return tag.collection === undefined;
}
