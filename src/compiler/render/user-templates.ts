import Handlebars from 'handlebars';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { reportOnce } from '../../diagnostics/report-once.ts';
import { mainTemplates, partialTemplates, viewShapes } from '../../generated/handlebars-templates.js';
import { type Environment, type MainTemplate, MissingValueError, type Template, TemplateEngine } from './engine.ts';
import { renderText } from './render-text.ts';
import type { UserTemplates } from './rendering.ts';
import { checkTemplates } from './template-check.ts';
import { lineSpan, type ParsedTemplate, type TemplateFile } from './template-file.ts';
import { checkNames } from './template-names.ts';
import { named, traced, untrace } from './template-trace.ts';

const compileOptions = {
  strict: true,
  noEscape: true,
  preventIndent: true,
  knownHelpers: { json: true },
  knownHelpersOnly: true,
} as unknown as CompileOptions;

/** Parses and checks the files; undefined when one of them is wrong. */
export function readUserTemplates(files: readonly TemplateFile[], bag: DiagnosticBag): UserTemplates | undefined {
  const parsed = files.map((file) => parseTemplate(file, bag)).filter((template) => template !== undefined);
  const isSound = checkTemplates(parsed, Object.keys(partialTemplates), bag);
  if (parsed.length < files.length || !isSound || !checkNames(parsed, viewShapes, bag)) return undefined;

  const engine = (form: (template: ParsedTemplate, index: number) => hbs.AST.Program): TemplateEngine =>
    new TemplateEngine(Handlebars.create(), (environment) => {
      const main = registerBuiltIn(environment);
      for (const [index, template] of parsed.entries()) {
        const compiled = environment.compile(form(template, index), compileOptions);
        if (template.isPartial) environment.registerPartial(template.key, compiled);
        else main[template.key as MainTemplate] = compiled;
      }
      return main;
    });
  let tracing: TemplateEngine | undefined;
  const user: UserTemplates = {
    render: (rendering, into) => renderText(rendering, user, into),
    engine: engine((template) => named(template.ast, template.file.name)),
    key: JSON.stringify(files.map(({ name, text, isYaml }) => [name, text, isYaml === true])),
    makesYaml: (template) =>
      parsed.some(({ file, key, isPartial }) => !isPartial && key === template && file.isYaml === true),
    explain: (error, resource, into) => explain(error, resource, parsed, into),
    placeOf: (template, view, at) => {
      tracing ??= engine(({ file }, index) => traced(parseText(file), index));
      const place = untrace(tracing.render(template, view).text).placeOf(at);
      const source = parsed[place?.file ?? 0];
      return source && lineSpan(source.file, place?.line ?? 1);
    },
  };
  return user;
}

function parseTemplate(file: TemplateFile, bag: DiagnosticBag): ParsedTemplate | undefined {
  const main = /^([^/]+)\.json\.hbs$/.exec(file.name)?.[1];
  const partial = /^partials\/([^/]+)\.hbs$/.exec(file.name)?.[1];
  if (partial === undefined && (main === undefined || !Object.hasOwn(mainTemplates, main))) {
    const expected = Object.keys(mainTemplates)
      .map((name) => `${name}.json.hbs`)
      .join(', ');
    bag.report('template-unknown-name', { file: file.path, start: 0, end: 0 }, { name: file.name, expected });
    return undefined;
  }
  try {
    return { file, key: partial ?? main ?? '', isPartial: partial !== undefined, ast: parseText(file) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const { lineNumber } = error as { readonly lineNumber?: number };
    const line = Number(/^Parse error on line (\d+)/.exec(text)?.[1] ?? lineNumber ?? 1);
    bag.report('template-syntax', lineSpan(file, line), { reason: plainReason(text) });
    return undefined;
  }
}

/** Registers our partials and gives our main templates, as Handlebars has them. */
function registerBuiltIn(environment: Environment): Record<MainTemplate, Template> {
  const compiled = (specification: object | undefined): Template =>
    environment.template(specification as Parameters<typeof Handlebars.template>[0]);
  for (const [name, specification] of Object.entries(partialTemplates)) {
    environment.registerPartial(name, compiled(specification));
  }
  return {
    bootstrap: compiled(mainTemplates.bootstrap),
    listeners: compiled(mainTemplates.listeners),
    clusters: compiled(mainTemplates.clusters),
    routes: compiled(mainTemplates.routes),
    endpoints: compiled(mainTemplates.endpoints),
  };
}

/** The parser's last line lists what it expected in words of its grammar. */
function plainReason(text: string): string {
  const last = text.split('\n').at(-1) ?? text;
  const got = /^Expecting .* got '(\w+)'$/.exec(last)?.[1];
  if (got === undefined) return last;
  return got === 'EOF' ? 'it ends inside a block or a tag' : 'a tag is not well formed, or not closed';
}

function parseText(file: TemplateFile): hbs.AST.Program {
  return Handlebars.parse(file.text);
}

/** A built-in partial that misses a value was called with a context that is not its own. */
function explain(error: unknown, resource: string, parsed: readonly ParsedTemplate[], bag: DiagnosticBag): void {
  const first = parsed[0];
  if (first === undefined || !(error instanceof Error)) throw error;
  if (error instanceof MissingValueError) {
    const source = parsed.find(({ file }) => file.name === error.template);
    const span = source === undefined ? lineSpan(first.file, 1) : lineSpan(source.file, error.line, error.column);
    reportOnce(bag, 'template-value-missing', span, { resource });
  } else {
    reportOnce(bag, 'template-syntax', lineSpan(first.file, 1), { reason: error.message });
  }
}
