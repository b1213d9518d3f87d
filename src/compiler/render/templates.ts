import type Handlebars from 'handlebars';
import * as runtimeModule from 'handlebars/runtime.js';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { digest, mainTemplates, partialTemplates } from '../../generated/templates.js';
import { type Environment, type MainTemplate, type Template, TemplateEngine } from './engine.ts';
import type { TemplateFile } from './template-file.ts';
import type { UserTemplates } from './user-templates.ts';

/** What a renderer writes with: the built-in templates, or these with some replaced by a user's. */
export interface Templates {
  readonly engine: TemplateEngine;
  /** Digest of the texts: a part of every resource's key. */
  readonly digest: string;
  /** Undefined for the built-in templates, which cannot fail. */
  readonly user: UserTemplates | undefined;
}

const runtime = (runtimeModule as unknown as { readonly default: Environment }).default;

let shared: Templates | undefined;

/** The templates of the folder `templates`, compiled when the product was built. */
export function builtInTemplates(): Templates {
  shared ??= { engine: new TemplateEngine(runtime.create(), registerBuiltIn), digest, user: undefined };
  return shared;
}

/**
 * Takes a user's templates (a bootstrap template, or files that replace ours by name) in place of ours; compiled here,
 * with the full Handlebars. Undefined when the bag got an error.
 */
export async function loadTemplates(
  files: readonly TemplateFile[],
  bag: DiagnosticBag,
): Promise<Templates | undefined> {
  const { readUserTemplates } = await import('./user-templates.ts');
  const names = { main: Object.keys(mainTemplates), partials: Object.keys(partialTemplates) };
  const user = readUserTemplates(files, { names, register: registerBuiltIn }, bag);
  return user && { engine: user.engine, digest: `${digest} ${user.digest}`, user };
}

/** Registers the partials and gives the main templates. */
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
  };
}
