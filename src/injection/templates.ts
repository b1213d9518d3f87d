import Handlebars from 'handlebars';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { injectionPartials, injectionTemplates } from '../generated/injection-templates.js';
import type { SourceFile } from '../source/document.ts';
import { markOf, type OutlinedText, Outlines } from './outline.ts';
import { templateOptions } from './template-options.ts';

/** Templates by name: a view in, the text of a partial pod out. They throw where a view lacks a value. */
export interface InjectionTemplates {
  readonly names: readonly string[];
  render(name: string, view: object): string;
  /** The text without its values; undefined where a template makes something else of its values than their JSON. */
  outline(name: string, view: object): OutlinedText | undefined;
  /** Outlines that were read before. */
  readonly outlines: Outlines;
}

/** A user's template; `name` is what pods call it. One with a name of ours takes the place of ours. */
export interface NamedTemplate {
  readonly name: string;
  readonly file: SourceFile;
}

/**
 * Our templates (`deploy/injection`) and a user's. A user's template sees the same view, and our partials; its syntax is
 * checked here.
 */
export function loadTemplates(users: readonly NamedTemplate[], bag: DiagnosticBag): InjectionTemplates {
  const environment = Handlebars.create();
  /** Set while an outline is made. */
  let placed: unknown[] | undefined;
  environment.registerHelper('json', (value: unknown) => {
    if (placed === undefined || value === undefined) return jsonText(value);
    return markOf(placed.push(value) - 1);
  });
  const precompiled = (specification: object): Handlebars.TemplateDelegate =>
    environment.template(specification as Parameters<typeof Handlebars.template>[0]);
  for (const [name, specification] of Object.entries(injectionPartials))
    environment.registerPartial(name, precompiled(specification));
  const templates = new Map(
    Object.entries(injectionTemplates).map(([name, specification]) => [name, precompiled(specification)]),
  );
  const calculating = new Set<string>();
  for (const { name, file } of users) {
    try {
      environment.precompile(file.text, templateOptions);
      templates.set(name, environment.compile(file.text, templateOptions as unknown as CompileOptions));
      if (hasSubexpression(file.text)) calculating.add(name);
    } catch (error) {
      bag.report('injection-template', undefined, { name, reason: oneLine((error as Error).message) });
    }
  }
  const render = (name: string, view: object): string => {
    const template = templates.get(name);
    if (template === undefined) throw new Error(`there is no template "${name}"`);
    return template(view, { allowProtoMethodsByDefault: false, allowProtoPropertiesByDefault: false });
  };
  const outline = (name: string, view: object): OutlinedText | undefined => {
    if (calculating.has(name)) return undefined;
    const values: unknown[] = [];
    placed = values;
    try {
      return { text: render(name, view), values };
    } finally {
      placed = undefined;
    }
  };
  return { names: [...templates.keys()].sort(), render, outline, outlines: new Outlines() };
}

/** A part such as `(json labels)` gives the text to another helper. */
function hasSubexpression(text: string): boolean {
  let isFound = false;
  class Finder extends Handlebars.Visitor {
    override SubExpression(): void {
      isFound = true;
    }
  }
  new Finder().accept(Handlebars.parse(text));
  return isFound;
}

/** JSON that is YAML too: characters that YAML does not print are escaped. */
function jsonText(value: unknown): string {
  if (value === undefined) throw new Error('a value that it places is not there');
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The first and the last line of a message of the parser say what is wrong, and where. */
export function oneLine(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 ? `${lines[0]} ${lines.at(-1)}` : message;
}

/** Names in an annotation, between commas. */
export function templateNames(text: string | undefined): readonly string[] | undefined {
  const names = text?.split(',').map((name) => name.trim());
  return names?.some((name) => name !== '') ? names.filter((name) => name !== '') : undefined;
}
