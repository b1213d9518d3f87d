import type { SourceSpan } from '../../diagnostics/span.ts';
import type { MainTemplate } from './engine.ts';
import type { FragmentOrigin, ResourceType } from './resource.ts';
import type { Templates } from './templates.ts';

/** One resource to be made: a template and what it places. */
export interface Rendering {
  readonly type: ResourceType;
  readonly name: string;
  readonly template: MainTemplate;
  readonly view: object;
  readonly templates: Templates;
}

/** What a template made of a view, whichever way it runs. */
export interface Made {
  readonly json: Readonly<Record<string, unknown>>;
  readonly origins: readonly FragmentOrigin[];
  /** They are put together when they are asked for. */
  readonly hasLateOrigins?: boolean;
  readonly placeInTemplate?: (path: string) => SourceSpan | undefined;
}
