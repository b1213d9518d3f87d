import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { jsonRangeOf } from '../../diagnostics/json-positions.ts';
import { reportOnce } from '../../diagnostics/report-once.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { parsePath } from '../../lib/json-path.ts';
import type { Rendered } from './engine.ts';
import { stripMarks } from './marks.ts';
import type { Made, Rendering } from './render-resource.ts';
import type { UserTemplates } from './user-templates.ts';

/** Runs a user's template, reads its text back and takes the origins out; undefined when it failed. */
export function renderText(rendering: Rendering, user: UserTemplates, bag: DiagnosticBag): Made | undefined {
  const { template, view } = rendering;
  const rendered = run(rendering, user, bag);
  const json = rendered && parseRendered(rendering, rendered, user, bag);
  if (rendered === undefined || json === undefined) return undefined;
  const origins = stripMarks(json, rendered.marks);
  return {
    json: json as Readonly<Record<string, unknown>>,
    origins,
    placeInTemplate: (path) => {
      const steps = parsePath(path);
      // A field that is missing is missing inside its object, whose key another template may have written.
      const part = holds(json, steps) ? 'key' : 'value';
      return user.placeOf(template, view, jsonRangeOf(rendered.text, steps, part).start);
    },
  };
}

function holds(json: object, path: JsonPath): boolean {
  let here: unknown = json;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !(step in here)) return false;
    here = (here as Readonly<Record<string | number, unknown>>)[step];
  }
  return true;
}

function run({ type, name, template, view }: Rendering, user: UserTemplates, bag: DiagnosticBag): Rendered | undefined {
  try {
    return user.engine.render(template, view);
  } catch (error) {
    user.explain(error, `${type} "${name}"`, bag);
    return undefined;
  }
}

function parseRendered(
  { type, name, template, view }: Rendering,
  { text }: Rendered,
  user: UserTemplates,
  bag: DiagnosticBag,
): object | undefined {
  let reason: string;
  let at = text.length - 1;
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
    reason = 'it is no object';
  } catch (error) {
    reason = (error as Error).message;
    at = Number(/at position (\d+)/.exec(reason)?.[1] ?? at);
  }
  const span = user.placeOf(template, view, at);
  const holes = { resource: `${type} "${name}"`, reason: plainReason(reason) };
  if (span === undefined) bag.report('template-not-json', span, holes);
  else reportOnce(bag, 'template-not-json', span, holes);
  return undefined;
}

/** Node's releases word the end of the message differently, and quote the rendered text with its private ids. */
function plainReason(reason: string): string {
  return reason.replace(/(, "?\.\.\.".*|, ".*| in JSON at position.*)$/s, '');
}
