import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { formatPath, parsePath } from '../../diagnostics/json-path.ts';
import { jsonRangeOf } from '../../diagnostics/json-positions.ts';
import { repeatedKey } from '../../diagnostics/repeated-key.ts';
import { reportOnce } from '../../diagnostics/report-once.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { canonicalMessage } from '../../envoy/api/canonical.ts';
import { parse } from '../../source/parse.ts';
import type { Rendered } from './engine.ts';
import { stripMarks } from './marks.ts';
import type { Made, Rendering, UserTemplates } from './rendering.ts';
import { messageTypes } from './resource.ts';

/**
 * Runs a user's template, reads its text back, takes the origins out and brings the rest to the canonical form; undefined
 * when it failed.
 */
export function renderText(rendering: Rendering, user: UserTemplates, bag: DiagnosticBag): Made | undefined {
  const { template, view } = rendering;
  const rendered = run(rendering, user, bag);
  const parsed = rendered && (user.makesYaml(template) ? parseYaml : parseJson)(rendering, rendered, user, bag);
  if (rendered === undefined || parsed === undefined) return undefined;
  const { json, startOf } = parsed;
  const origins = stripMarks(json, rendered.marks);
  const canonical = canonicalMessage(messageTypes[rendering.type], json);
  return {
    json: canonical.json,
    origins: origins.map((origin) => ({
      ...origin,
      path: formatPath(canonical.places.canonical(parsePath(origin.path))),
    })),
    placeInTemplate: (path) => {
      const steps = canonical.places.written(parsePath(path));
      // A field that is missing is missing inside its object, whose key another template may have written.
      const part = holds(json, steps) ? 'key' : 'value';
      return user.placeOf(template, view, startOf(steps, part));
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

function isObject(value: unknown): value is Parsed['json'] {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function run({ type, name, template, view }: Rendering, user: UserTemplates, bag: DiagnosticBag): Rendered | undefined {
  try {
    return user.engine.render(template, view);
  } catch (error) {
    user.explain(error, `${type} "${name}"`, bag);
    return undefined;
  }
}

/** What a text says, and where in it. */
interface Parsed {
  readonly json: Readonly<Record<string, unknown>>;
  readonly startOf: (path: JsonPath, part: 'key' | 'value') => number;
}

type Parse = (rendering: Rendering, rendered: Rendered, user: UserTemplates, bag: DiagnosticBag) => Parsed | undefined;

const parseJson: Parse = (rendering, { text }, user, bag) => {
  let reason: string;
  let at = text.length - 1;
  try {
    const json: unknown = JSON.parse(text);
    const repeated = repeatedKey(text);
    if (repeated !== undefined) {
      reportText(rendering, user, repeated.start, `key "${repeated.key}" stands twice in one object`, bag);
      return undefined;
    }
    if (isObject(json)) {
      return { json, startOf: (path, part) => jsonRangeOf(text, path, part).start };
    }
    reason = 'it is no object';
  } catch (error) {
    reason = (error as Error).message;
    at = Number(/at position (\d+)/.exec(reason)?.[1] ?? at);
  }
  reportText(rendering, user, at, plainReason(reason), bag);
  return undefined;
};

const parseYaml: Parse = (rendering, { text }, user, bag) => {
  const own = new DiagnosticBag();
  const [document, second] = parse([{ path: rendering.name, text }], own);
  const fault = own.all.find(({ severity }) => severity === 'error');
  if (document !== undefined && second === undefined && fault === undefined) {
    return { json: document.value, startOf: (path, part) => document.spanOf(path, part).start };
  }
  const reason = fault?.message ?? (document === undefined ? 'it is empty' : 'it has a second document');
  reportText(rendering, user, (fault?.span ?? second?.start)?.start ?? 0, reason, bag);
  return undefined;
};

/** A text that cannot be read: told at the line of the template that wrote it. */
function reportText(
  { type, name, template, view }: Rendering,
  user: UserTemplates,
  at: number,
  reason: string,
  bag: DiagnosticBag,
): void {
  const span = user.placeOf(template, view, at);
  const holes = { resource: `${type} "${name}"`, reason };
  if (span === undefined) bag.report('template-not-json', span, holes);
  else reportOnce(bag, 'template-not-json', span, holes);
}

/** Node's releases word the end of the message differently, and quote the rendered text with its private ids. */
function plainReason(reason: string): string {
  return reason.replace(/(, "?\.\.\.".*|, ".*| in JSON at position.*)$/s, '');
}
