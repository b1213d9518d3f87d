import Handlebars from 'handlebars';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { reportOnce } from '../../diagnostics/report-once.ts';
import { nearest } from '../../lib/nearest.ts';
import type { ViewShape, ViewShapes } from '../template/view-shape.ts';
import { lineSpan, type ParsedTemplate } from './template-file.ts';

/**
 * Refuses blocks and partials of a user's templates that read a name that the view does not have: Handlebars leaves such
 * a block out without a message. A value that is placed is checked when it is rendered. The names are those that the
 * built-in templates read; what they place whole may hold any name. False when the bag got an error.
 */
export function checkNames(templates: readonly ParsedTemplate[], shapes: ViewShapes, bag: DiagnosticBag): boolean {
  const before = bag.all.length;
  const own = new Map(templates.filter(({ isPartial }) => isPartial).map((partial) => [partial.key, partial]));
  const checked = new Map([...own.values()].map((partial) => [partial, new Set<ViewShape | undefined>()]));
  for (const template of templates) {
    const view = (template.isPartial ? shapes.partials : shapes.main)[template.key];
    if (view !== undefined) new NameChecker(template, [view], { own, shapes, checked }, bag).accept(template.ast);
  }
  return bag.all.length === before;
}

/** What Handlebars itself has inside `each`. */
const loopNames = new Set(['first', 'last', 'index', 'key']);

interface Known {
  /** The user's partials, by the name that calls them. */
  readonly own: ReadonlyMap<string, ParsedTemplate>;
  readonly shapes: ViewShapes;
  /** The views that a partial was checked with: partials may call each other, and themselves, in many ways. */
  readonly checked: ReadonlyMap<ParsedTemplate, Set<ViewShape | undefined>>;
}

class NameChecker extends Handlebars.Visitor {
  readonly #template: ParsedTemplate;
  /** From the outermost to the one that names are of; undefined where nothing is known of it. */
  readonly #views: (ViewShape | undefined)[];
  readonly #known: Known;
  readonly #bag: DiagnosticBag;

  constructor(template: ParsedTemplate, views: (ViewShape | undefined)[], known: Known, bag: DiagnosticBag) {
    super();
    this.#template = template;
    this.#views = views;
    this.#known = known;
    this.#bag = bag;
  }

  override BlockStatement(block: hbs.AST.BlockStatement): void {
    const view = this.#viewOf(block.params[0] as hbs.AST.PathExpression);
    const name = block.path.type === 'PathExpression' ? (block.path as hbs.AST.PathExpression).original : '';
    if (name === 'each' || name === 'with') {
      this.#views.push(name === 'each' ? itemsOf(view) : view);
      this.accept(block.program);
      this.#views.pop();
    } else this.accept(block.program);
  }

  /** A partial that the user added has the views that its callers give it. */
  override PartialStatement({ name, params }: hbs.AST.PartialStatement): void {
    const [context] = params;
    const view = context === undefined ? this.#views.at(-1) : this.#viewOf(context as hbs.AST.PathExpression);
    const key = String((name as hbs.AST.PathExpression).original);
    const partial = this.#known.own.get(key);
    if (partial === undefined || Object.hasOwn(this.#known.shapes.partials, key)) return;
    const views = this.#known.checked.get(partial);
    if (views?.has(view)) return;
    views?.add(view);
    new NameChecker(partial, [view], this.#known, this.#bag).accept(partial.ast);
  }

  #viewOf(path: hbs.AST.PathExpression): ViewShape | undefined {
    if (path.data) {
      const [name, ...below] = path.parts;
      if (name === 'root') return this.#below(this.#template.isPartial ? undefined : this.#views[0], below, path);
      if (!loopNames.has(String(name))) this.#report(path, `@${name}`, loopNames);
      return undefined;
    }
    return this.#below(this.#views.at(-1 - path.depth), path.parts, path);
  }

  #below(from: ViewShape | undefined, names: readonly string[], path: hbs.AST.PathExpression): ViewShape | undefined {
    let view = from;
    for (const name of names) {
      if (view === undefined) return undefined;
      const next = childOf(view, name);
      if (next === undefined && !view.isOpen) this.#report(path, path.original, Object.keys(view.fields));
      view = next;
    }
    return view;
  }

  #report(path: hbs.AST.PathExpression, found: string, names: Iterable<string>): void {
    const span = lineSpan(this.#template.file, path.loc.start.line, path.loc.start.column + 1);
    const meant = nearest(String(path.parts.at(-1)), names);
    const near = meant === undefined ? '' : `did you mean "${meant}"? `;
    const hint = `${near}compare with the built-in template of the same name`;
    reportOnce(this.#bag, 'template-unknown-value', span, { name: found }, { hint });
  }
}

function itemsOf(view: ViewShape | undefined): ViewShape | undefined {
  return view?.items;
}

/** A number: it has no fields. */
const count: ViewShape = { fields: {} };

function childOf(view: ViewShape, name: string): ViewShape | undefined {
  if (Object.hasOwn(view.fields, name)) return view.fields[name];
  if (view.items === undefined) return undefined;
  return name === 'length' ? count : /^\d+$/.test(name) ? view.items : undefined;
}
