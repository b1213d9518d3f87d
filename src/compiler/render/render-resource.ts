import { hash } from 'node:crypto';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { reportOnce } from '../../diagnostics/report-once.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import { parsePath } from '../../lib/json-path.ts';
import { compareStrings } from '../../lib/sort.ts';
import type { PolicyOrigin } from '../ir/origin.ts';
import { jsonRangeOf } from '../source/json-positions.ts';
import type { MainTemplate, Rendered } from './engine.ts';
import { stripMarks } from './marks.ts';
import type { FragmentOrigin, ObjectKey, Resource, ResourceType } from './resource.ts';
import type { Templates } from './templates.ts';

/** One resource to be made: a template and what it places. */
export interface Rendering {
  readonly type: ResourceType;
  readonly name: string;
  readonly template: MainTemplate;
  readonly view: object;
  readonly templates: Templates;
}

/** Runs the template, reads its text back and takes the origins out; undefined when a user's template failed. */
export function renderResource(rendering: Rendering, bag: DiagnosticBag): Resource | undefined {
  const { type, name, template, view, templates } = rendering;
  const rendered = run(rendering, bag);
  if (rendered === undefined) return undefined;
  const json = parseRendered(rendering, rendered, bag);
  if (json === undefined) return undefined;
  const values = rendered.marks.text;
  const origins = stripMarks(json, rendered.marks);
  const { user } = templates;
  return new RenderedResource(
    type,
    name,
    hash('sha256', `${templates.digest}\n${rendered.text}\n${values}\n${originsText(origins)}`),
    json as Readonly<Record<string, unknown>>,
    origins,
    user && ((path) => user.placeOf(template, view, jsonRangeOf(rendered.text, parsePath(path), 'key').start)),
  );
}

/** Text is made when it is first asked for: what goes out over xDS, or is compared by its key, needs none. */
class RenderedResource implements Resource {
  readonly type: ResourceType;
  readonly name: string;
  readonly key: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly origins: readonly FragmentOrigin[];
  readonly reads: readonly ObjectKey[];
  declare readonly placeInTemplate?: (path: string) => SourceSpan | undefined;
  #text: string | undefined;

  constructor(
    type: ResourceType,
    name: string,
    key: string,
    json: Readonly<Record<string, unknown>>,
    origins: readonly FragmentOrigin[],
    placeInTemplate: ((path: string) => SourceSpan | undefined) | undefined,
  ) {
    this.type = type;
    this.name = name;
    this.key = key;
    this.json = json;
    this.origins = origins;
    this.reads = readsOf(origins);
    if (placeInTemplate !== undefined) this.placeInTemplate = placeInTemplate;
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.json, null, 2);
    return this.#text;
  }
}

function run({ type, name, template, view, templates }: Rendering, bag: DiagnosticBag): Rendered | undefined {
  try {
    return templates.engine.render(template, view);
  } catch (error) {
    if (templates.user === undefined) throw error;
    templates.user.explain(error, `${type} "${name}"`, bag);
    return undefined;
  }
}

function parseRendered(rendering: Rendering, { text }: Rendered, bag: DiagnosticBag): object | undefined {
  const { type, name, template, view, templates } = rendering;
  let reason: string;
  let at = text.length - 1;
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
    reason = 'it is no object';
  } catch (error) {
    if (templates.user === undefined) throw error;
    reason = (error as Error).message;
    at = Number(/at position (\d+)/.exec(reason)?.[1] ?? at);
  }
  const span = templates.user?.placeOf(template, view, at);
  const holes = { resource: `${type} "${name}"`, reason: plainReason(reason) };
  if (span === undefined) bag.report('template-not-json', span, holes);
  else reportOnce(bag, 'template-not-json', span, holes);
  return undefined;
}

/** Node's releases word the end of the message differently, and quote the rendered text with its private ids. */
function plainReason(reason: string): string {
  return reason.replace(/(, "?\.\.\.".*|, ".*| in JSON at position.*)$/s, '');
}

/** In the order of the text: kind, namespace, name and field of each origin. */
function originsText(origins: readonly FragmentOrigin[]): string {
  const line = ({ kind, namespace, name, field }: PolicyOrigin): string =>
    `${kind} ${namespace}/${name} ${field.join('.')}`;
  return origins
    .map(({ path, decidedBy, overrode }) => `${path}: ${decidedBy.map(line).join()}; ${overrode.map(line).join()}`)
    .join('\n');
}

function readsOf(origins: readonly FragmentOrigin[]): ObjectKey[] {
  const reads = new Map<string, ObjectKey>();
  for (const { decidedBy, overrode } of origins) {
    for (const { kind, namespace, name } of [...decidedBy, ...overrode]) {
      const key = `${kind}\0${namespace}\0${name}`;
      if (!reads.has(key)) reads.set(key, { kind, namespace, name });
    }
  }
  return [...reads].sort(([a], [b]) => compareStrings(a, b)).map(([, read]) => read);
}
