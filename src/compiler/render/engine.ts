import type Handlebars from 'handlebars';
import { Marks } from './marks.ts';

/** The templates that a folder may replace, by the name of their file without `.json.hbs`. */
export type MainTemplate = 'bootstrap' | 'listeners' | 'clusters' | 'routes' | 'endpoints';

/** Text as the template made it: JSON in which the values with origins are still ids of `marks`. */
export interface Rendered {
  readonly text: string;
  readonly marks: Marks;
}

/** A Handlebars of its own: the runtime for built-in templates, the full one for a user's. */
export type Environment = typeof Handlebars;
/** A compiled template. */
export type Template = Handlebars.TemplateDelegate;

/**
 * A template asked for a value that the view does not have; Handlebars' strict mode does not look into a helper's
 * arguments.
 */
export class MissingValueError extends Error {
  /** Name of the user's template; undefined in a built-in one. */
  readonly template: string | undefined;
  readonly line: number;
  readonly column: number;

  constructor(template: string | undefined, line: number, column: number) {
    super(`template ${template ?? ''} line ${line} column ${column}: the value is undefined`);
    this.name = 'MissingValueError';
    this.template = template;
    this.line = line;
    this.column = column;
  }
}

interface HelperOptions {
  readonly hash: { readonly template?: string };
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } };
}

/** Handlebars' default, said aloud: else it writes a warning to the console. */
const prototypesDenied = { allowProtoMethodsByDefault: false, allowProtoPropertiesByDefault: false };

/** Runs templates over views. `json` is the only helper of ours; prototypes of views cannot be reached. */
export class TemplateEngine {
  readonly #main: Readonly<Record<MainTemplate, Template>>;
  #marks = new Marks();

  /** `environment` is this engine's own: its helpers and partials are set here. */
  constructor(
    environment: Environment,
    templates: (environment: Environment) => Readonly<Record<MainTemplate, Template>>,
  ) {
    environment.registerHelper('json', (value: unknown, options: HelperOptions) => this.#json(value, options));
    this.#main = templates(environment);
  }

  /** Throws MissingValueError, or Handlebars' own exception. */
  render(name: MainTemplate, view: object): Rendered {
    const marks = new Marks();
    this.#marks = marks;
    return { text: this.#main[name](view, prototypesDenied), marks };
  }

  #json(value: unknown, options: HelperOptions): string {
    if (value === undefined) {
      const { line = 0, column = 0 } = options.loc?.start ?? {};
      throw new MissingValueError(options.hash.template, line, column + 1);
    }
    return this.#marks.write(value);
  }
}
