import Handlebars from 'handlebars';

/**
 * A template as the JSON that it writes: objects of members, arrays of elements, constants, and where values are placed.
 * Commas carry no meaning here. Throws on a template that does more than place values in well-formed JSON.
 *
 * Nodes: `{ constant }`, `{ place, line }`, `{ partial, context }`, `{ members }`, `{ elements }`, `{ choices }`; members,
 * elements and choices may stand under a block: `{ block, path, body }`. The key of a member is a text, or a place. Paths
 * are lists of field names.
 */
export function templateTree(name, text) {
  const tokens = tokensOf(Handlebars.parse(text), name);
  const reader = { tokens, at: 0, name };
  const node = tokens[0]?.block === undefined ? readValue(reader) : { choices: readList(reader, undefined, readValue) };
  if (reader.at < tokens.length) fail(reader);
  return node;
}

function tokensOf(program, name) {
  return program.body.flatMap((statement) => {
    const { line } = statement.loc.start;
    switch (statement.type) {
      case 'CommentStatement':
        return [];
      case 'ContentStatement':
        return jsonTokens(statement.value, `${name}:${line}`);
      case 'MustacheStatement':
        if (statement.path.original !== 'json') throw new Error(`${name}:${line}: {{${statement.path.original}}}`);
        return [{ place: pathOf(statement.params[0], name), line }];
      case 'PartialStatement':
        return [{ partial: statement.name.original, context: pathOf(statement.params[0], name) }];
      case 'BlockStatement': {
        const body = tokensOf(statement.program, name);
        // What separates the elements of a list is a comma alone.
        if (body.length === 0 && statement.inverse === undefined) return [];
        if (statement.inverse || !['if', 'unless', 'each'].includes(statement.path.original)) {
          throw new Error(`${name}:${line}: {{#${statement.path.original}}} with no such meaning here`);
        }
        return [{ block: statement.path.original, path: pathOf(statement.params[0], name), body }];
      }
      default:
        throw new Error(`${name}:${line}: ${statement.type}`);
    }
  });
}

function jsonTokens(text, place) {
  const pattern = /\s+|,|([{}[\]:])|("(?:[^"\\]|\\.)*"|true|false|null|-?\d[\d.eE+-]*)|(.)/gs;
  return [...text.matchAll(pattern)].flatMap(([, sign, scalar, unknown]) => {
    if (unknown !== undefined) throw new Error(`${place}: ${unknown} is not JSON`);
    if (scalar !== undefined) return [{ constant: JSON.parse(scalar) }];
    return sign === undefined ? [] : [{ sign }];
  });
}

/** Absent and `this` are the context itself. */
function pathOf(expression, name) {
  if (expression === undefined) return [];
  if (expression.type !== 'PathExpression' || expression.depth > 0 || expression.data) {
    throw new Error(`${name}:${expression.loc.start.line}: only fields of the view can be placed`);
  }
  return expression.parts;
}

function readValue(reader) {
  const token = reader.tokens[reader.at++];
  if (token?.sign === '{') return { members: readList(reader, '}', readMember) };
  if (token?.sign === '[') return { elements: readList(reader, ']', readValue) };
  if (token === undefined || token.sign !== undefined || token.block !== undefined) fail(reader);
  return token;
}

function readMember(reader) {
  const token = reader.tokens[reader.at++];
  const key = token.place === undefined ? token.constant : token;
  if (!['string', 'object'].includes(typeof key) || reader.tokens[reader.at++]?.sign !== ':') fail(reader);
  return { key, value: readValue(reader) };
}

/** Up to the sign that ends it, or to the end of the tokens; blocks hold lists of the same. */
function readList(reader, end, read) {
  const list = [];
  for (;;) {
    const token = reader.tokens[reader.at];
    if (token?.sign === end) {
      if (end !== undefined) reader.at++;
      if (token === undefined || end !== undefined) return list;
    }
    if (token === undefined) fail(reader);
    if (token.block === undefined) list.push(read(reader));
    else {
      reader.at++;
      const inner = { ...reader, tokens: token.body, at: 0 };
      list.push({ block: token.block, path: token.path, body: readList(inner, undefined, read) });
    }
  }
}

function fail({ name, tokens, at }) {
  throw new Error(`template ${name} is not well-formed JSON near ${JSON.stringify(tokens[at - 1])}`);
}
