import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { mainTemplates } from '../../generated/templates.js';
import type { MainTemplate } from './engine.ts';
import type { BuildTemplate } from './placing.ts';
import type { UserTemplates } from './rendering.ts';
import type { TemplateFile } from './template-file.ts';

/** What a renderer writes with: the built-in templates, or these with some replaced by a user's. */
export interface Templates {
  readonly builtIn: Readonly<Record<MainTemplate, BuildTemplate>>;
  /** Equal for equal templates. */
  readonly key: string;
  /** Takes the place of `builtIn`; undefined where nothing is replaced. */
  readonly user: UserTemplates | undefined;
}

/** The templates of the folder `templates`, compiled when the product was built; they cannot fail. */
export function builtInTemplates(): Templates {
  return { builtIn: mainTemplates, key: '', user: undefined };
}

/**
 * Takes a user's templates (a bootstrap template, or files that replace ours by name) in place of ours; compiled here,
 * with Handlebars, which then runs ours too. Undefined when the bag got an error.
 */
export async function loadTemplates(
  files: readonly TemplateFile[],
  bag: DiagnosticBag,
): Promise<Templates | undefined> {
  const { readUserTemplates } = await import('./user-templates.ts');
  const user = readUserTemplates(files, bag);
  return user && { builtIn: mainTemplates, key: user.key, user };
}
