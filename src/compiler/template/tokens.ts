import Handlebars from 'handlebars';
import type { BlockName, ConstantNode, PartialNode, PlaceNode, ViewPath } from './template-node.ts';

/** A part of a template's text; commas are none, since JSON says where one value ends without them. */
export type Token =
  | ConstantNode
  | PlaceNode
  | PartialNode
  | { readonly kind: 'sign'; readonly sign: string }
  | BlockToken;

export interface BlockToken {
  readonly kind: 'block';
  readonly block: BlockName;
  readonly path: ViewPath;
  readonly body: readonly Token[];
}

/** The parts of a template. Throws on one that does more than place values in JSON. */
export function tokensOf(name: string, text: string): readonly Token[] {
  return tokensOfProgram(Handlebars.parse(text), name);
}

function tokensOfProgram(program: hbs.AST.Program, name: string): readonly Token[] {
  return program.body.flatMap((statement) => {
    const place = `${name}:${statement.loc.start.line}`;
    if (isOf<hbs.AST.CommentStatement>(statement, 'CommentStatement')) return [];
    if (isOf<hbs.AST.ContentStatement>(statement, 'ContentStatement')) return jsonTokens(statement.value, place);
    if (isOf<hbs.AST.MustacheStatement>(statement, 'MustacheStatement')) return [placeOf(statement, name, place)];
    if (isOf<hbs.AST.PartialStatement>(statement, 'PartialStatement')) return [partialOf(statement, name, place)];
    if (isOf<hbs.AST.BlockStatement>(statement, 'BlockStatement')) return blockOf(statement, name, place);
    throw new Error(`${place}: ${statement.type}`);
  });
}

function isOf<Statement extends hbs.AST.Node>(node: hbs.AST.Node, type: Statement['type']): node is Statement {
  return node.type === type;
}

function placeOf({ path, params, loc }: hbs.AST.MustacheStatement, name: string, place: string): PlaceNode {
  const helper = pathText(path);
  if (helper !== 'json') throw new Error(`${place}: {{${helper}}}`);
  return { kind: 'place', path: viewPath(params[0], name), line: loc.start.line };
}

function partialOf({ name: partial, params }: hbs.AST.PartialStatement, name: string, place: string): PartialNode {
  if (partial.type !== 'PathExpression') throw new Error(`${place}: a partial whose name is computed`);
  return { kind: 'partial', name: pathText(partial), context: viewPath(params[0], name) };
}

function blockOf({ path, params, program, inverse }: hbs.AST.BlockStatement, name: string, place: string): Token[] {
  const body = tokensOfProgram(program, name);
  // What separates the elements of a list is a comma alone.
  if (body.length === 0 && inverse === undefined) return [];
  const block = pathText(path);
  if (inverse || !isBlockName(block)) throw new Error(`${place}: {{#${block}}} with no such meaning here`);
  return [{ kind: 'block', block, path: viewPath(params[0], name), body }];
}

function isBlockName(name: string): name is BlockName {
  return name === 'if' || name === 'unless' || name === 'each';
}

function pathText(expression: hbs.AST.Expression): string {
  return 'original' in expression ? String(expression.original) : expression.type;
}

function jsonTokens(text: string, place: string): Token[] {
  const pattern = /\s+|,|([{}[\]:])|("(?:[^"\\]|\\.)*"|true|false|null|-?\d[\d.eE+-]*)|(.)/gs;
  return [...text.matchAll(pattern)].flatMap(([, sign, scalar, unknown]): Token[] => {
    if (unknown !== undefined) throw new Error(`${place}: ${unknown} is not JSON`);
    if (scalar !== undefined) return [{ kind: 'constant', value: JSON.parse(scalar) }];
    return sign === undefined ? [] : [{ kind: 'sign', sign }];
  });
}

/** Absent and `this` are the context itself. */
function viewPath(expression: hbs.AST.Expression | undefined, name: string): ViewPath {
  if (expression === undefined) return [];
  if (!isOf<hbs.AST.PathExpression>(expression, 'PathExpression') || expression.depth > 0 || expression.data) {
    throw new Error(`${name}:${expression.loc.start.line}: only fields of the view can be placed`);
  }
  return expression.parts;
}
