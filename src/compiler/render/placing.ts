import { formatPath } from '../../diagnostics/json-path.ts';
import { Placed } from './placed.ts';
import type { FragmentOrigin } from './resource.ts';

/** A template as a function: builds the JSON of a view, and tells `at` where values with origins stand. */
export type BuildTemplate = (view: object, at: Placing) => Readonly<Record<string, unknown>>;

/** What Handlebars' `if` takes for true: 0, the empty string and the empty list are not. */
export function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** What a partial made of a view that many resources place. */
interface Part {
  readonly json: unknown;
  readonly origins: readonly FragmentOrigin[];
}

const parts = new WeakMap<object, Part | undefined>();

/** The view, of which a partial is to make one value for all resources that place it. */
export function kept<T extends object>(view: T): T {
  parts.set(view, parts.get(view));
  return view;
}

/** One resource in the making: how deep its template is, and the origins so far, in the order of the text. */
export class Placing {
  readonly #origins: (FragmentOrigin | { readonly under: readonly (string | number)[]; readonly part: Part })[] = [];
  readonly #path: (string | number)[] = [];
  #hasParts = false;

  /** With their paths from the root of the resource; put together when they are asked for. */
  get origins(): readonly FragmentOrigin[] {
    return this.#origins.flatMap((entry) => {
      if (!('part' in entry)) return [entry];
      const under = formatPath(entry.under);
      return entry.part.origins.map((origin) => ({ ...origin, path: joined(under, origin.path) }));
    });
  }

  /** Some origins stand in what partials made for several resources. */
  get hasParts(): boolean {
    return this.#hasParts;
  }

  enter(key: string | number): void {
    this.#path.push(key);
  }

  leave(): void {
    this.#path.pop();
  }

  /** What a partial makes of a view; of a view that is kept, the same object each time. */
  part(make: BuildTemplate, view: object): unknown {
    if (!parts.has(view)) return make(view, this);
    let part = parts.get(view);
    if (part === undefined) {
      const own = new Placing();
      part = { json: make(view, own), origins: own.origins };
      parts.set(view, part);
    }
    if (part.origins.length > 0) {
      this.#hasParts = true;
      this.#origins.push({ under: [...this.#path], part });
    }
    return part.json;
  }

  /** A value of the view as JSON has it; its origins belong to the object in which it stands. */
  value(value: unknown, template: string): unknown {
    if (value === undefined) throw new Error(`template ${template}: the value is undefined`);
    if (!(value instanceof Placed)) return plain(value);
    this.#origins.push({ path: formatPath(this.#path), ...value.origins });
    return plain(value.value);
  }

  /** A value of the view as the key of a member; keys have no origins. */
  key(value: unknown, template: string): string {
    if (typeof value !== 'string') throw new Error(`template ${template}: the key is not a text`);
    return value;
  }
}

function joined(under: string, path: string): string {
  return under === '' || path === '' || path.startsWith('[') ? `${under}${path}` : `${under}.${path}`;
}

/** What JSON keeps of a value. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const field: unknown = value[key as keyof typeof value];
    if (field !== undefined) kept[key] = plain(field);
  }
  return kept;
}
