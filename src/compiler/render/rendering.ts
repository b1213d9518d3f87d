import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import type { MainTemplate, TemplateEngine } from './engine.ts';
import type { FragmentOrigin, ResourceType } from './resource.ts';

/** One resource to be made: a template and what it places. */
export interface Rendering {
  readonly type: ResourceType;
  readonly name: string;
  readonly template: MainTemplate;
  readonly view: object;
}

/** What a template made of a view, whichever way it runs. */
export interface Made {
  readonly json: Readonly<Record<string, unknown>>;
  readonly origins: readonly FragmentOrigin[];
  /** They are put together when they are asked for. */
  readonly hasLateOrigins?: boolean;
  readonly placeInTemplate?: (path: string) => SourceSpan | undefined;
}

/** The user's side of a set of templates: what only templates that may be wrong need. */
export interface UserTemplates {
  readonly engine: TemplateEngine;
  /** Equal for equal files. */
  readonly key: string;
  /** Runs a template; undefined when it failed, which the bag then tells. */
  render(rendering: Rendering, bag: DiagnosticBag): Made | undefined;
  /** Whether what a template makes is to be read as YAML. */
  makesYaml(template: MainTemplate): boolean;
  /** Reports why rendering `resource` threw. */
  explain(error: unknown, resource: string, bag: DiagnosticBag): void;
  /** The user's line that wrote offset `at` of the rendered text, or stands before it; the first line when ours wrote all. */
  placeOf(template: MainTemplate, view: object, at: number): SourceSpan | undefined;
}
