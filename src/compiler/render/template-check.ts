import Handlebars from 'handlebars';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import { lineSpan, type ParsedTemplate } from './template-file.ts';

/** The blocks that place and repeat; whatever decides or assembles text belongs into a view. */
const blocks = new Set(['each', 'if', 'unless', 'with']);

/**
 * Holds a user's templates to what ours may do: `{{json x}}`, the four blocks, and partials that exist and do not call
 * themselves. False when the bag got an error.
 */
export function checkTemplates(
  templates: readonly ParsedTemplate[],
  builtInPartials: readonly string[],
  bag: DiagnosticBag,
): boolean {
  const partials = new Set(builtInPartials);
  for (const template of templates) if (template.isPartial) partials.add(template.key);
  const before = bag.all.length;
  const calls = new Map<string, Set<string>>();
  for (const template of templates) {
    const visitor = new Checker(template, partials, bag);
    visitor.accept(template.ast);
    if (template.isPartial) calls.set(template.key, visitor.calls);
  }
  for (const template of templates) {
    if (template.isPartial && reaches(template.key, template.key, calls, new Set())) {
      bag.report('template-recursive', lineSpan(template.file, 1), { name: template.key });
    }
  }
  return bag.all.length === before;
}

/** Built-in partials call none of the user's that they did not call before, but may call one that replaces ours. */
function reaches(
  from: string,
  goal: string,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  seen: Set<string>,
): boolean {
  for (const next of calls.get(from) ?? []) {
    if (next === goal) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    if (reaches(next, goal, calls, seen)) return true;
  }
  return false;
}

class Checker extends Handlebars.Visitor {
  readonly calls = new Set<string>();
  readonly #template: ParsedTemplate;
  readonly #partials: ReadonlySet<string>;
  readonly #bag: DiagnosticBag;

  constructor(template: ParsedTemplate, partials: ReadonlySet<string>, bag: DiagnosticBag) {
    super();
    this.#template = template;
    this.#partials = partials;
    this.#bag = bag;
  }

  override MustacheStatement(mustache: hbs.AST.MustacheStatement): void {
    const name = nameOf(mustache.path);
    const [argument, ...more] = mustache.params;
    if (name !== 'json' || argument?.type !== 'PathExpression' || more.length > 0) {
      this.#forbid(`{{${name}}}`, mustache);
    }
  }

  override BlockStatement(block: hbs.AST.BlockStatement): void {
    const name = nameOf(block.path);
    const isPlain = block.params.length === 1 && block.params[0]?.type === 'PathExpression';
    if (!blocks.has(name) || !isPlain) this.#forbid(`{{#${name}}}`, block);
    super.BlockStatement(block);
  }

  override PartialStatement(partial: hbs.AST.PartialStatement): void {
    if (partial.name.type !== 'PathExpression') {
      this.#forbid('{{> (…)}}', partial);
      return;
    }
    const name = nameOf(partial.name as hbs.AST.PathExpression);
    this.calls.add(name);
    if (!this.#partials.has(name)) {
      const expected = [...this.#partials].sort().join(', ');
      this.#bag.report('template-unknown-partial', this.#span(partial), { name }, { hint: `use one of: ${expected}` });
    }
    if (partial.params.length > 1 || (partial.params[0]?.type ?? 'PathExpression') !== 'PathExpression') {
      this.#forbid(`{{> ${name} …}}`, partial);
    }
  }

  override PartialBlockStatement(block: hbs.AST.PartialBlockStatement): void {
    this.#forbid('{{#> …}}', block);
  }

  override Decorator(decorator: hbs.AST.Decorator): void {
    this.#forbid('{{* …}}', decorator);
  }

  override DecoratorBlock(block: hbs.AST.DecoratorBlock): void {
    this.#forbid('{{#* …}}', block);
  }

  #forbid(found: string, node: hbs.AST.Node): void {
    this.#bag.report('template-forbidden', this.#span(node), { found });
  }

  #span(node: hbs.AST.Node): SourceSpan {
    return lineSpan(this.#template.file, node.loc.start.line, node.loc.start.column + 1);
  }
}

function nameOf(path: hbs.AST.PathExpression | hbs.AST.Literal): string {
  return String((path as { original?: unknown }).original);
}
