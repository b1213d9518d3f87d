import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import { Placing } from './placing.ts';
import type { Made, Rendering } from './rendering.ts';
import type { FragmentOrigin, Resource, ResourceType } from './resource.ts';
import type { Templates } from './templates.ts';

/** Runs the template; undefined when a user's template failed, which the bag then tells. */
export function renderResource(
  { templates, ...rendering }: Rendering & { readonly templates: Templates },
  bag: DiagnosticBag,
): Resource | undefined {
  const { template, view } = rendering;
  if (templates.user !== undefined) {
    const made = templates.user.render(rendering, bag);
    return made && new RenderedResource(rendering, made);
  }
  const placing = new Placing();
  const json = templates.builtIn[template](view, placing);
  return new RenderedResource(rendering, {
    json,
    hasLateOrigins: placing.hasParts,
    get origins() {
      return placing.origins;
    },
  });
}

/** The text is made when it is asked for, and not kept: who writes a file keeps it. */
class RenderedResource implements Resource {
  readonly type: ResourceType;
  readonly name: string;
  readonly json: Readonly<Record<string, unknown>>;
  declare readonly origins: readonly FragmentOrigin[];
  declare readonly placeInTemplate?: (path: string) => SourceSpan | undefined;

  constructor({ type, name }: Rendering, made: Made) {
    const { json, placeInTemplate } = made;
    this.type = type;
    this.name = name;
    this.json = json;
    // Those of a large table are thousands, of which few are asked for; copies of the resource have them too.
    if (made.hasLateOrigins) lateOrigins(this, made);
    else this.origins = made.origins;
    if (placeInTemplate !== undefined) this.placeInTemplate = placeInTemplate;
  }

  get text(): string {
    return JSON.stringify(this.json, null, 2);
  }
}

/** Gives the resource its origins when they are first asked for. */
function lateOrigins(resource: Resource, made: Made): void {
  let origins: readonly FragmentOrigin[] | undefined;
  Object.defineProperty(resource, 'origins', {
    enumerable: true,
    get: () => {
      origins ??= made.origins;
      return origins;
    },
  });
}
