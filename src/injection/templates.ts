import Handlebars from 'handlebars';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { injectionPartials, injectionTemplates } from '../generated/injection-templates.js';
import type { SourceFile } from '../source/document.ts';
import { templateOptions } from './template-options.ts';

/** Templates by name: a view in, the text of a partial pod out. They throw where a view lacks a value. */
export interface InjectionTemplates {
  readonly names: readonly string[];
  render(name: string, view: object): string;
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
  environment.registerHelper('json', (value: unknown) => jsonText(value));
  const precompiled = (specification: object): Handlebars.TemplateDelegate =>
    environment.template(specification as Parameters<typeof Handlebars.template>[0]);
  for (const [name, specification] of Object.entries(injectionPartials))
    environment.registerPartial(name, precompiled(specification));
  const templates = new Map(
    Object.entries(injectionTemplates).map(([name, specification]) => [name, precompiled(specification)]),
  );
  for (const { name, file } of users) {
    try {
      environment.precompile(file.text, templateOptions);
      templates.set(name, environment.compile(file.text, templateOptions as unknown as CompileOptions));
    } catch (error) {
      bag.report('injection-template', undefined, { name, reason: oneLine((error as Error).message) });
    }
  }
  return {
    names: [...templates.keys()].sort(),
    render: (name, view) => {
      const template = templates.get(name);
      if (template === undefined) throw new Error(`there is no template "${name}"`);
      return template(view, { allowProtoMethodsByDefault: false, allowProtoPropertiesByDefault: false });
    },
  };
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
