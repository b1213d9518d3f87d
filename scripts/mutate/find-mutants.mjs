import { parseAst } from 'vitest/node';

const swapped = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['&&', '||'],
  ['||', '&&'],
]);
const swappedMethods = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['min', 'max'],
  ['max', 'min'],
  ['has', 'delete'],
]);

/**
 * The small changes of a TypeScript file that its tests should notice: `{ start, end, before, after, line }` each. Types,
 * imports and the wording of messages are left alone: what an error, a diagnostic or a log line says harms nobody, and is
 * for a person to judge. That it is told at all is not left alone.
 */
export function findMutants(file, text) {
  const found = [];
  const add = (start, end, after) => {
    const before = text.slice(start, end);
    const line = text.slice(0, start).split('\n').length;
    if (before !== after) found.push({ start, end, before, after, line });
  };
  walk(parseAst(text, { lang: 'ts' }, file), (node) => mutate(node, text, add));
  return found;
}

const leftAlone = /^(TS|Import|Export(All|Named)|Decorator)/;
const telling = new Set(['log', 'bag', 'console', 'report']);

function walk(node, visit) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) walk(child, visit);
    return;
  }
  if (typeof node.type === 'string') {
    if (leftAlone.test(node.type) && node.declaration === undefined && !node.type.endsWith('Expression')) return;
    if (node.type === 'ThrowStatement' || isTelling(node) || isPlural(node)) return;
    visit(node);
  }
  for (const [key, child] of Object.entries(node)) {
    if (key !== 'typeAnnotation' && key !== 'typeArguments' && key !== 'returnType') walk(child, visit);
  }
}

/** A call that tells people something: what it says is the goldens' business. */
function isTelling({ type, callee }) {
  return type === 'CallExpression' && callee.type === 'MemberExpression' && telling.has(callee.object.name);
}

/** `count === 1 ? '' : 's'`: which of the two stands there harms nobody. */
function isPlural({ type, consequent, alternate }) {
  return type === 'ConditionalExpression' && consequent.value === '' && alternate.value === 's';
}

function mutate(node, text, add) {
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') mutateOperator(node, text, add);
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
    add(node.test.start, node.test.end, 'true');
    add(node.test.start, node.test.end, 'false');
  }
  if (node.type === 'Literal') mutateLiteral(node, add);
  if (node.type === 'UnaryExpression' && node.operator === '!') add(node.start, node.argument.start, '');
  if (node.type === 'ArrayExpression' && node.elements.length > 1) mutateList(node, add);
  if (node.type === 'ExpressionStatement' && node.expression.type === 'CallExpression') add(node.start, node.end, ';');
  if (node.type === 'MemberExpression' && !node.computed && swappedMethods.has(node.property.name)) {
    add(node.property.start, node.property.end, swappedMethods.get(node.property.name));
  }
}

function mutateOperator({ left, right, operator }, text, add) {
  const after = swapped.get(operator);
  const at = text.indexOf(operator, left.end);
  // Joining texts is no arithmetic.
  const isText = [left, right].some(({ type, value }) => type === 'TemplateLiteral' || typeof value === 'string');
  if (after === undefined || at < 0 || at > right.start || (operator === '+' && isText)) return;
  add(at, at + operator.length, after);
}

function mutateLiteral({ start, end, value }, add) {
  if (typeof value === 'boolean') add(start, end, String(!value));
  if (typeof value === 'number') add(start, end, String(value + 1));
}

/** One element fewer, at either end. */
function mutateList({ elements }, add) {
  const [first, second] = elements;
  if (first === null || second === null) return;
  add(first.start, second.start, '');
  add(elements.at(-2).end, elements.at(-1).end, '');
}
