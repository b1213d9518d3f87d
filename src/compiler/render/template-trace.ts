import Handlebars from 'handlebars';

/** Gives each `json` of a template the template's name, so that a missing value can say which file asked for it. */
export function named(ast: hbs.AST.Program, name: string): hbs.AST.Program {
  new Namer(name).accept(ast);
  return ast;
}

/** Makes the rendered text carry, before each piece, the file (by index) and line of the template that wrote it. */
export function traced(ast: hbs.AST.Program, file: number): hbs.AST.Program {
  new Tracer(file).accept(ast);
  return ast;
}

/** Rendered text without the places, and the place of each of its offsets. */
export interface Trace {
  readonly text: string;
  /** `file` is the index given to `traced`; `line` counts from 1. */
  placeOf(offset: number): { readonly file: number; readonly line: number } | undefined;
}

/** Takes the places out again. */
export function untrace(rendered: string): Trace {
  const places: { offset: number; file: number; line: number }[] = [];
  let text = '';
  let from = 0;
  for (const found of rendered.matchAll(/\uE000(\d+):(\d+)\uE000/g)) {
    text += rendered.slice(from, found.index);
    from = found.index + found[0].length;
    places.push({ offset: text.length, file: Number(found[1]), line: Number(found[2]) });
  }
  text += rendered.slice(from);
  return { text, placeOf: (offset) => places.findLast((place) => place.offset <= offset) };
}

class Namer extends Handlebars.Visitor {
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  override MustacheStatement(mustache: hbs.AST.MustacheStatement): void {
    const { loc } = mustache;
    const value = { type: 'StringLiteral', value: this.#name, original: this.#name, loc };
    mustache.hash = { type: 'Hash', pairs: [{ type: 'HashPair', key: 'template', value, loc }], loc };
  }
}

class Tracer extends Handlebars.Visitor {
  readonly #file: number;

  constructor(file: number) {
    super();
    this.#file = file;
  }

  override Program(program: hbs.AST.Program): void {
    super.Program(program);
    program.body = program.body.flatMap((statement) => this.#placed(statement));
  }

  /** A statement after its place; text line by line. */
  #placed(statement: hbs.AST.Statement): hbs.AST.Statement[] {
    const { line } = statement.loc.start;
    if (statement.type !== 'ContentStatement') return [this.#content(this.#place(line), statement), statement];
    const { value, original } = statement as unknown as { readonly value: string; readonly original: string };
    const cut = original.slice(0, Math.max(0, original.indexOf(value))).split('\n').length - 1;
    const lines = value.split('\n').map((text, index) => `${this.#place(line + cut + index)}${text}`);
    return [this.#content(lines.join('\n'), statement)];
  }

  #place(line: number): string {
    return `\uE000${this.#file}:${line}\uE000`;
  }

  #content(value: string, { loc }: hbs.AST.Node): hbs.AST.Statement {
    const content = { type: 'ContentStatement', value, original: value, loc };
    return content;
  }
}
