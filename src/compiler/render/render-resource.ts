import { hash } from 'node:crypto';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import { compareStrings } from '../../lib/sort.ts';
import type { PolicyOrigin } from '../ir/origin.ts';
import { Placing } from './placing.ts';
import { renderText } from './render-text.ts';
import type { Made, Rendering } from './rendering.ts';
import type { FragmentOrigin, ObjectKey, Resource, ResourceType } from './resource.ts';

/** Runs the template; undefined when a user's template failed, which the bag then tells. */
export function renderResource(rendering: Rendering, bag: DiagnosticBag): Resource | undefined {
  const { template, view, templates } = rendering;
  if (templates.user !== undefined) {
    const made = renderText(rendering, templates.user, bag);
    return made && new RenderedResource(rendering, made);
  }
  const placing = new Placing();
  const json = templates.builtIn[template](view, placing);
  return new RenderedResource(rendering, { json, origins: placing.origins });
}

/** Text, key and reads are made when they are asked for: many resources go out without them. */
class RenderedResource implements Resource {
  readonly type: ResourceType;
  readonly name: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly origins: readonly FragmentOrigin[];
  declare readonly placeInTemplate?: (path: string) => SourceSpan | undefined;
  readonly #templatesDigest: string;
  #reads: readonly ObjectKey[] | undefined;

  constructor({ type, name, templates }: Rendering, { json, origins, placeInTemplate }: Made) {
    this.type = type;
    this.name = name;
    this.json = json;
    this.origins = origins;
    this.#templatesDigest = templates.digest;
    if (placeInTemplate !== undefined) this.placeInTemplate = placeInTemplate;
  }

  get text(): string {
    return JSON.stringify(this.json, null, 2);
  }

  get key(): string {
    return hash('sha256', `${this.#templatesDigest}\n${JSON.stringify(this.json)}\n${originsText(this.origins)}`);
  }

  get reads(): readonly ObjectKey[] {
    this.#reads ??= readsOf(this.origins);
    return this.#reads;
  }
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
