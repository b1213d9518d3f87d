import type { DiagnosticBag, RelatedPlace } from '../../diagnostics/bag.ts';
import { formatPath } from '../../diagnostics/json-path.ts';
import type { DiagnosticCode, HolesOf } from '../../diagnostics/registry.ts';
import { reportOnce } from '../../diagnostics/report-once.ts';
import type { JsonPath, SourceSpan } from '../../diagnostics/span.ts';
import type { PolicyOrigin } from '../ir/origin.ts';
import type { Resource } from '../render/resource.ts';

/** Reports about one resource: in the user's template where there is one, else at the policy that decided the fragment. */
export class Findings {
  readonly resource: Resource;
  /** How many were found, told or not: a template's line is reported once for all that it wrote. */
  faults = 0;
  readonly #bag: DiagnosticBag;

  constructor(resource: Resource, bag: DiagnosticBag) {
    this.resource = resource;
    this.#bag = bag;
  }

  /** `listener "virtualInbound"`. */
  get label(): string {
    return `${this.resource.type} "${this.resource.name}"`;
  }

  pathText(path: JsonPath): string {
    return formatPath(path);
  }

  /** `path` is where in the resource; text for what the checker of Envoy's API found. */
  report<C extends DiagnosticCode>(code: C, path: JsonPath | string, holes: HolesOf<C>, hint?: string): void {
    const at = typeof path === 'string' ? path : formatPath(path);
    const template = this.resource.placeInTemplate?.(at);
    const origin = originAt(this.resource, at);
    const policy = origin?.at.spanOf(origin.field);
    this.faults += 1;
    if (template === undefined) this.#bag.report(code, policy, holes, { hint });
    else if (code !== 'template-lost-rule' || !isToldOf(this.#bag, template, at)) {
      if (code !== 'template-lost-rule') remember(this.#bag, template, at);
      const related = origin === undefined || policy === undefined ? [] : [place(origin, policy)];
      reportOnce(this.#bag, code, template, holes, { hint, related });
    }
  }
}

/** Paths of faults of the output itself, by the template's line: they say more than that it is not what was asked for. */
const told = new WeakMap<DiagnosticBag, Map<string, string[]>>();

function remember(bag: DiagnosticBag, { file, start }: SourceSpan, path: string): void {
  const places = told.get(bag) ?? new Map<string, string[]>();
  told.set(bag, places);
  const place = `${file}:${start}`;
  places.set(place, [...(places.get(place) ?? []), path]);
}

/** True where the same line was told of for the same field, or for one in it or around it. */
function isToldOf(bag: DiagnosticBag, { file, start }: SourceSpan, path: string): boolean {
  const fields = fieldsOf(path);
  return (told.get(bag)?.get(`${file}:${start}`) ?? []).some((other) => {
    const others = fieldsOf(other);
    return others.includes(fields.at(-1) ?? '') || fields.includes(others.at(-1) ?? '');
  });
}

function fieldsOf(path: string): string[] {
  return path.split(/[.[\]]+/).filter((field) => /^[a-z]/i.test(field));
}

function place({ kind, namespace, name }: PolicyOrigin, span: SourceSpan): RelatedPlace {
  return { message: `decided by ${kind} ${namespace}/${name}`, span };
}

/** First decider of the innermost fragment that holds `path` and has one. */
function originAt({ origins }: Resource, path: string): PolicyOrigin | undefined {
  let best: { length: number; origin: PolicyOrigin } | undefined;
  for (const fragment of origins) {
    const [origin] = fragment.decidedBy;
    if (origin === undefined || !holds(fragment.path, path)) continue;
    if (best === undefined || fragment.path.length >= best.length) best = { length: fragment.path.length, origin };
  }
  return best?.origin;
}

function holds(outer: string, inner: string): boolean {
  if (outer === '') return true;
  return inner.startsWith(outer) && (inner.length === outer.length || '.['.includes(inner[outer.length] ?? ''));
}
